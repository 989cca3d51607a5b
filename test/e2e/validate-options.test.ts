import { readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { runCli } from "./cli.ts";
import { CONTRACT_FLAGS, JOB_FLAGS, JOINED_MAPPING, linesOf, validate, workFolder } from "./validate-scene.ts";

const HEADER = "REF,NAME,NOTE,MOBILE\n";
/** An extract of ten rows. Every second row is invalid. */
const TEN = `${HEADER}${Array.from({ length: 10 }, (_, index) => `A${index + 1},${index % 2 === 0 ? "Ada" : ""},,\n`).join("")}`;

describe("flags that select records:", () => {
  test("--limit 3 validates only the first three records", async () => {
    const { code, stdout } = await validate(workFolder({ "a.csv": TEN }), ["a.csv", "--limit", "3"]);
    expect(code).toBe(1);
    expect(linesOf(stdout).map(({ record, key }) => [record, key])).toEqual([
      [1, "A1"],
      [2, "A2"],
      [3, "A3"],
    ]);
  });

  test("--only validates the records with these keys, and keeps their record numbers", async () => {
    const { code, stdout } = await validate(workFolder({ "a.csv": TEN }), ["a.csv", "--only", "A9,A3", "--only", "A5"]);
    expect(code).toBe(0);
    expect(linesOf(stdout).map(({ record, key }) => [record, key])).toEqual([
      [3, "A3"],
      [5, "A5"],
      [9, "A9"],
    ]);
  });

  test.each([
    ["A9,B7", "the key B7"],
    ["B8,A9,B7", "the keys B8, B7"],
  ])("--only %s lists the keys that no record has", async (keys, missing) => {
    const folder = workFolder({ "a.csv": TEN });
    const { code, stdout, stderr } = await validate(folder, ["a.csv", "--only", keys]);
    expect(code).toBe(0);
    expect(linesOf(stdout).map(({ key }) => key)).toEqual(["A9"]);
    expect(stderr).toContain(`--only: no record has ${missing}\n`);
  });

  test("--only lists no missing keys if all records have been found, or if --limit ends the run early", async () => {
    const folder = workFolder({ "a.csv": TEN });
    const all = await validate(folder, ["a.csv", "--only", "A9,A3"]);
    const accented = workFolder({ "a.csv": TEN.replace("A9", "Å9") });
    const decomposed = await validate(accented, ["a.csv", "--only", "A\u030A9"]);
    const limited = await validate(folder, ["a.csv", "--only", "A9,A3", "--limit", "1"]);
    expect(`${all.stderr}${decomposed.stderr}${limited.stderr}`).not.toContain("--only");
  });

  test("--only with an unknown key exits with 2", async () => {
    const { code, stderr } = await validate(workFolder({ "a.csv": TEN }), ["a.csv", "--only", "A99"]);
    expect(code).toBe(2);
    expect(stderr).toContain("--only");
  });
});

describe("--max-errors:", () => {
  const stopped = /^migrate: stopped after .*: 5 invalid, more than --max-errors allows$/m;

  test.each(["4", "49%"])("%s is reported on stderr, with exit code 1, if more records are invalid", async (most) => {
    const { code, stderr } = await validate(workFolder({ "a.csv": TEN }), ["a.csv", "--max-errors", most]);
    expect(code).toBe(1);
    expect(stderr).toMatch(stopped);
  });

  test.each(["50%"])("%s allows exactly this share of invalid records", async (most) => {
    const { code, stderr } = await validate(workFolder({ "a.csv": TEN }), ["a.csv", "--max-errors", most]);
    expect(code).toBe(1);
    expect(stderr).not.toContain("stopped");
  });

  test("stops reading a long input once the limit is exceeded", async () => {
    const folder = workFolder({ "a.csv": HEADER + "A1,,,\n".repeat(20_000) + 'A2,"never closed,,\n' });
    const { code, stdout, stderr } = await validate(folder, ["a.csv", "--max-errors", "10"]);
    expect(code).toBe(1);
    expect(stderr).toContain("more than --max-errors allows");
    expect(linesOf(stdout).length).toBeGreaterThan(10);
    expect(linesOf(stdout).length).toBeLessThan(20_000);
  });
});

describe("sources:", () => {
  test("--source names the file of one source, and the mapping can use --supplier", async () => {
    const folder = workFolder({
      "mapping.yaml": JOINED_MAPPING,
      "new/accounts.csv": "REF,NAME\nB1,Bea\n",
      "new/people.csv": "REF,SEQ,LAST,MAIL\nB1,1,Bird,none\n",
    });
    const flags = [
      "--source",
      "accounts=new/accounts.csv",
      "--source",
      "customers=new/people.csv",
      "--supplier",
      "ACME",
    ];
    const { code, stdout } = await validate(folder, flags);
    expect(code).toBe(1);
    expect(linesOf(stdout)).toMatchObject([
      { key: "B1", errors: [{ attr: "customers.0.email", source: { file: "new/people.csv", line: 2 } }] },
    ]);
    const args = ["preview", ...flags, ...JOB_FLAGS, "--format", "json", "--show-values"];
    const { stdout: shown } = await runCli(args, { cwd: folder });
    expect(JSON.parse(shown)).toMatchObject({ payload: { supplier: "ACME" } });
  });

  test("a positional file is assigned to the source without a parent", async () => {
    const folder = workFolder({
      "mapping.yaml": JOINED_MAPPING,
      "other.csv": "REF,NAME\nA1,Ada\n",
      "customers.csv": "REF,SEQ,LAST,MAIL\nA1,1,Able,\n",
    });
    const { code, stdout } = await validate(folder, ["other.csv", "--supplier", "ACME"]);
    expect(code).toBe(0);
    expect(linesOf(stdout)).toMatchObject([{ key: "A1", source: { file: "other.csv", line: 2 } }]);
  });

  test("the path - stands for standard input", async () => {
    const { code, stdout } = await validate(workFolder({}), ["-"], { input: `${HEADER}A1,Ada,,\nA2,,,\n` });
    expect(code).toBe(1);
    expect(linesOf(stdout).map(({ source, status }) => [source, status])).toEqual([
      [{ file: "-", line: 2 }, "valid"],
      [{ file: "-", line: 3 }, "invalid"],
    ]);
  });

  test("a pattern names files in order, and .gz is decompressed", async () => {
    const folder = workFolder({
      "part-2.csv.gz": gzipSync(`${HEADER}A2,Bea,,\n`),
      "part-1.csv": `${HEADER}A1,Ada,,\n`,
      "other.csv": `${HEADER}A3,Cid,,\n`,
    });
    const { code, stdout } = await validate(folder, ["part-*"]);
    expect(code).toBe(0);
    expect(linesOf(stdout).map(({ record, key, source }) => [record, key, source.file])).toEqual([
      [1, "A1", "part-1.csv"],
      [2, "A2", "part-2.csv.gz"],
    ]);
  });

  test("--delimiter and --encoding override detection", async () => {
    const text = "REF#NAME#NOTE#MOBILE\nA1#Zoë, the first#b#\n";
    const folder = workFolder({ "a.csv": Buffer.from(text, "latin1") });
    const flags = ["a.csv", "--delimiter", "#", "--encoding", "iso-8859-1"];
    const { code, stdout } = await validate(folder, flags);
    expect([code, linesOf(stdout).map(({ key }) => key)]).toEqual([0, ["A1"]]);
    const args = ["preview", ...flags, ...JOB_FLAGS, "--format", "json", "--show-values"];
    expect(JSON.parse((await runCli(args, { cwd: folder })).stdout)).toMatchObject({
      payload: { name: "Zoë, the first" },
    });
  });

  test("NDJSON input is read as payloads if there is no mapping", async () => {
    const folder = workFolder({ "a.ndjson": '{"number":"A1","name":"Ada"}\n{"number":"A2"}\n' });
    const args = ["validate", "a.ndjson", ...CONTRACT_FLAGS, "--format", "ndjson"];
    const { code, stdout } = await runCli(args, { cwd: folder });
    expect(code).toBe(1);
    expect(linesOf(stdout).map(({ key, source, status }) => [key, source.line, status])).toEqual([
      ["A1", 1, "valid"],
      ["A2", 2, "invalid"],
    ]);
  });
});

describe("messages:", () => {
  test("--quiet shows only failures", async () => {
    const folder = workFolder({ "a.csv": TEN.replaceAll(",", ";") });
    const ended = await validate(folder, ["a.csv", "--quiet"]);
    expect([ended.code, ended.stderr]).toEqual([1, ""]);
    const failed = await validate(folder, ["none.csv", "--quiet"]);
    expect([failed.code, failed.stderr]).toEqual([2, "migrate: none.csv: no such file\n"]);
  });

  test("--log-format json writes each message as one JSON object per line", async () => {
    const folder = workFolder({ "a.csv": TEN.replaceAll(",", ";") });
    const ended = await validate(folder, ["a.csv", "--log-format", "json"]);
    const failed = await validate(folder, ["none.csv", "--log-format", "json"]);
    expect(logOf(ended.stderr).map(({ event }) => event)).toEqual(["notice", "run_ended", "report"]);
    expect(logOf(failed.stderr)).toEqual([
      {
        time: expect.any(String),
        level: "error",
        event: "failure",
        code: "source_unreadable",
        message: "none.csv: no such file",
      },
    ]);
  });

  test("no message is coloured in a pipe, even if the terminal supports colours", async () => {
    const env = { TERM: "xterm-256color", COLORTERM: "truecolor" };
    const folder = workFolder({ "a.csv": TEN });
    const { stdout, stderr } = await runCli(["validate", "a.csv", ...JOB_FLAGS], { cwd: folder, env });
    expect(stdout).toContain("5 errors");
    expect(stdout + stderr).not.toContain("\u001b");
  });
});

describe("the environment", () => {
  test("can be used instead of flags", async () => {
    const folder = workFolder({ "a.csv": TEN });
    const env = {
      MIGRATE_CONTRACT: "contract.yaml",
      MIGRATE_MAPPING: "mapping.yaml",
      MIGRATE_FORMAT: "ndjson",
      MIGRATE_OUT: "from-environment",
      MIGRATE_MAX_ERRORS: "2",
      MIGRATE_LOG_FORMAT: "json",
    };
    const { code, stdout, stderr } = await runCli(["validate", "a.csv"], { cwd: folder, env });
    expect(code).toBe(1);
    expect(linesOf(stdout)).toHaveLength(10);
    expect(readFileSync(path.join(folder, "from-environment/outcomes.ndjson"), "utf8")).toBe(stdout);
    expect(logOf(stderr).at(-1)).toMatchObject({ event: "failure", code: "too_many_errors" });
  });

  test("is overridden by flags", async () => {
    const env = { MIGRATE_FORMAT: "junit", MIGRATE_CONTRACT: "none.yaml", MIGRATE_ENCODING: "klingon" };
    const flags = ["a.csv", "--encoding", "utf-8"];
    const { code, stdout } = await validate(workFolder({ "a.csv": TEN }), flags, { env });
    expect([code, linesOf(stdout).length]).toEqual([1, 10]);
  });

  test("has no effect if its variables are empty strings", async () => {
    const names = ["CONFIG", "CONTRACT", "MAPPING", "OPERATION", "SUPPLIER", "ENCODING", "DELIMITER", "FORMAT", "OUT"];
    const env = Object.fromEntries(names.map((name) => [`MIGRATE_${name}`, ""]));
    const { code, stderr } = await validate(workFolder({ "a.csv": TEN }), ["a.csv"], { env });
    expect([code, stderr]).toEqual([1, expect.stringContaining("10 records")]);
  });
});

function logOf(stderr: string): readonly { readonly level: string; readonly event: string }[] {
  return stderr
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}
