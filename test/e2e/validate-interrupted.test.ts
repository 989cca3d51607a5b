import { expect, it } from "vitest";
import { projectFile, runCli } from "./cli.ts";
import { JOB_FLAGS, workFolder } from "./validate-scene.ts";

const PRELOAD = projectFile("test/failpoints/check-preload.mjs");
/**
 * Rows for about twenty chunks of 256 KB. The other threads take fewer chunks than that before the reading thread takes
 * its first chunk.
 */
const ROWS = 21_000;

function folder(): string {
  const note = "The meter is under the stairs. ".repeat(7);
  const rows = Array.from({ length: ROWS }, (_, index) => `K${index},Amina,${note},07700900123`);
  return workFolder({ "accounts.csv": ["REF,NAME,NOTE,MOBILE", ...rows, ""].join("\n") });
}

async function validated(threads: string, failAt: string): ReturnType<typeof runCli> {
  return runCli(["validate", "accounts.csv", ...JOB_FLAGS, "--threads", threads], {
    cwd: folder(),
    env: { FAIL_AT: failAt },
    nodeFlags: ["--import", PRELOAD],
  });
}

it.each([
  ["in the only thread", "1", "main"],
  ["in the thread that reads and also validates", "2", "main"],
  ["in a thread that only validates", "2", "worker"],
])(
  "an unexpected error, %s, ends validate with exit code 70 and the position of the error",
  async (_, threads, where) => {
    const { code, stdout, stderr } = await validated(threads, `${where}:5:throw`);
    expect(code).toBe(70);
    expect(stderr).toMatch(/this is a bug in migrate\n +TypeError/);
    expect(stderr).toMatch(/at .*src\/pipeline\/threads\/check-batches\.ts:\d+/);
    expect(stdout + stderr).not.toMatch(/Amina|07700/);
  },
);

it.each(["1", "3"])("Ctrl-C ends validate --threads %s with the outcomes so far", async (threads) => {
  const { code, stdout, stderr } = await validated(threads, "main:5:SIGINT");
  expect(stderr).toMatch(/stopped after [\d,]+ records: the rest of the input was not read/);
  expect(code).toBe(3);
  const [, count = ""] = /accounts\.csv: ([\d,]+) records/.exec(stdout + stderr) ?? [];
  expect(Number(count.replace(",", ""))).toBeGreaterThan(0);
  expect(Number(count.replace(",", ""))).toBeLessThan(ROWS);
});
