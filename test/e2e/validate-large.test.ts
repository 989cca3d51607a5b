import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { linesOf, validate, workFolder } from "./validate-scene.ts";

/** Enough rows for an input to be validated in several threads. */
const ROWS = 40_000;
/** Enough rows for a plan that does not fit in memory and is written to disk. */
const MANY_ROWS = 400_000;
const LONG_NOTE = "n".repeat(220);

describe("a large input", () => {
  test("has one outcome per record, in input order, and reports duplicate keys that are far apart", async () => {
    const wrong = new Map([
      [7, "K1,,n,\n"],
      [20_000, `K5,Again,${LONG_NOTE},\n`],
      [30_000, `k6,Near,${LONG_NOTE},\n`],
    ]);
    const folder = workFolder({ "a.csv": rows((number) => wrong.get(number)) });
    const { code, stdout } = await validate(folder, ["a.csv"]);
    const lines = linesOf(stdout);
    expect(code).toBe(1);
    expect(lines.map(({ record }) => record)).toEqual(Array.from({ length: ROWS }, (_, index) => index + 1));
    expect(lines.every(({ source, record }) => source.line === record + 1)).toBe(true);
    const remarkable = lines.filter(({ status, errors }) => status !== "valid" || errors !== undefined);
    expect(remarkable.map(({ record, key, status, errors }) => [record, key, status, errors?.[0]?.code])).toEqual([
      [1, "K1", "invalid", "duplicate_key"],
      [5, "K5", "invalid", "duplicate_key"],
      [6, "K6", "valid", "near_duplicate_key"],
      [7, "K1", "invalid", "required"],
      [20_000, "K5", "invalid", "duplicate_key"],
      [30_000, "k6", "valid", "near_duplicate_key"],
    ]);
  });

  test.skipIf(!existsSync("/bin/bash"))(
    "makes validate exit with 6 and report a full disk if its plan does not fit on the disk",
    async () => {
      const short = Array.from({ length: MANY_ROWS }, (_, index) => `K${index + 1},Ada,n,\n`);
      const folder = workFolder({ "a.csv": `REF,NAME,NOTE,MOBILE\n${short.join("")}` });
      const limited = ["/bin/bash", "-c", 'ulimit -f 500; exec "$@"', "limited"];
      const { code, stdout, stderr } = await validate(folder, ["a.csv"], { under: limited });
      expect({ code, stdout }).toEqual({ code: 6, stdout: "" });
      expect(stderr).toMatch(/^migrate: cannot store the plan of this run in \S+: EFBIG: .*\n +free some disk space/m);
    },
  );
});

/** Returns a CSV file of 10 MB. */
function rows(other: (number: number) => string | undefined = () => undefined): string {
  const lines = Array.from(
    { length: ROWS },
    (_, index) => other(index + 1) ?? `K${index + 1},Ada Lovelace,${LONG_NOTE},\n`,
  );
  return `REF,NAME,NOTE,MOBILE\n${lines.join("")}`;
}
