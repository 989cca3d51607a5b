import { spawnSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type TestSandbox, startTestSandbox } from "./cli.ts";
import { type Admin, adminOf, goodAccounts, references, workplace } from "./push-scene.ts";

const RECORDS = 60;
/**
 * Whether strace, which makes system calls fail, is installed. The test that needs strace is skipped if strace is not
 * installed.
 */
const HAS_STRACE = spawnSync("strace", ["-V"]).error === undefined;

let sandbox: TestSandbox;
let admin: Admin;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  admin = adminOf(sandbox);
});
afterAll(() => sandbox.stop());
beforeEach(() => admin.reset());

test("a push completes, or can be resumed, if the limit on open files is below the number of connections", async () => {
  const many = 5 * RECORDS;
  await admin.faults({ latencyMs: 50 });
  const work = workplace({ accounts: goodAccounts(many) }, sandbox);
  const under = ["sh", "-c", 'ulimit -n 200; exec "$@"', "sh"];
  const { code, stderr } = await work.push(["--concurrency", "256"], { under });
  expect([0, 6]).toContain(code);
  expect(stderr).not.toMatch(/^ {4}at /m);
  expect((await work.migrate(["resume"])).code).toBe(0);
  expect((await admin.accounts()).map(({ key }) => key).toSorted()).toEqual(references(many));
});

test("a push that is suspended and continued sends no burst of requests, and sends no record twice", async () => {
  await admin.faults({ latencyMs: 500 });
  const work = workplace({ accounts: goodAccounts(RECORDS) }, sandbox);
  const pushing = work.startPush(["--concurrency", "4", "--contract", "no-dedupe.yaml"]);
  while ((await admin.imports()).length < 8) await delay(10);
  pushing.kill("SIGSTOP");
  await delay(2500);
  const before = (await admin.imports()).length;
  expect(before).toBeLessThan(RECORDS);
  await admin.faults({ latencyMs: 20 });
  pushing.kill("SIGCONT");
  const { code } = await pushing.ended;
  expect(code).toBe(0);
  const seen = await admin.imports();
  expect(seen.map(({ key = "" }) => key).toSorted()).toEqual(references(RECORDS));
  const [first] = seen.slice(before);
  const soon = seen.slice(before).filter(({ at }) => Date.parse(at) - Date.parse(first?.at ?? at) < 10);
  expect(soon.length).toBeLessThanOrEqual(4);
});

test("a push without a terminal does not ask questions, hang or show a spinner", async () => {
  const work = workplace({ accounts: goodAccounts(3) }, sandbox);
  const { code, stdout, stderr } = await work.push([], { env: { COLUMNS: "0", CI: "1" } });
  expect(code).toBe(0);
  expect(stdout + stderr).not.toContain("\u001B");
});

test.skipIf(!HAS_STRACE)("a push exits with 6 if the kernel refuses a write or a sync of the ledger", async () => {
  for (const fault of ["fsync:error=EIO:when=12+", "pwrite64:error=ENOSPC:when=120+"]) {
    await admin.reset();
    const work = workplace({ accounts: goodAccounts(RECORDS) }, sandbox);
    const inject = [
      "strace",
      "-f",
      "-qq",
      "-e",
      "trace=fsync,pwrite64",
      "-e",
      `inject=${fault}`,
      "-o",
      work.file("trace"),
    ];
    const { code } = await work.push(["--concurrency", "4"], { under: inject });
    expect(`${fault}: ${code}`).toBe(`${fault}: 6`);
    const resumed = await work.migrate(["resume"]);
    const end = resumed.code === 2 ? await work.push() : resumed;
    expect(end.code).toBe(0);
    expect((await admin.accounts()).map(({ key }) => key).toSorted()).toEqual(references(RECORDS));
    expect((await work.migrate(["ledger", "check"])).code).toBe(0);
  }
});
