import { existsSync, readlinkSync, symlinkSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type TestSandbox, startTestSandbox } from "./cli.ts";
import { countRequests, type RequestCounter } from "./kill-schedule.ts";
import {
  type Admin,
  adminOf,
  goodAccounts,
  latestRun,
  outcomeLines,
  references,
  statusCounts,
  type Workplace,
  workplace,
} from "./push-scene.ts";
import { contradictions, collectEvidence } from "./push-evidence.ts";

let sandbox: TestSandbox;
let admin: Admin;
let counter: RequestCounter;
beforeAll(async () => {
  sandbox = await startTestSandbox({ flags: ["--verbose"] });
  admin = adminOf(sandbox);
  counter = countRequests(sandbox);
});
afterAll(() => sandbox.stop());
beforeEach(() => admin.reset());

const RECORDS = 200;

test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
  "after %s, the requests in flight complete, and resume sends each of the other records once",
  async (signal) => {
    const work = workplace({ accounts: goodAccounts(RECORDS) }, sandbox);
    await admin.faults({ latencyMs: [20, 60] });
    const pushing = work.startPush(["--concurrency", "8"]);
    await counter.after(40);
    pushing.kill(signal);
    const { code, stdout, stderr } = await pushing.ended;
    expect(code).toBe(3);
    expect(stderr).toContain("Press Ctrl-C again");
    const { accepted = 0, pending = 0, ...others } = statusCounts(outcomeLines(stdout));
    expect(others).toEqual({});
    expect(accepted + pending).toBe(RECORDS);
    expect(accepted).toBeGreaterThanOrEqual(40);
    expect(pending).toBeGreaterThan(0);
    const seen = await admin.imports();
    expect(seen).toHaveLength(accepted);
    expect(seen.every(({ status }) => status === 201)).toBe(true);

    const resumed = await work.migrate(["resume", "--format", "ndjson"]);
    expect(resumed.code).toBe(0);
    expect(statusCounts(outcomeLines(resumed.stdout))).toEqual({ accepted: RECORDS });
    expect(await admin.imports()).toHaveLength(RECORDS);
    expect(await contradictionsOf(work)).toEqual([]);
  },
);

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)(
  "a second %s ends the push immediately with %i, removes the metrics file, and the ledger stays intact",
  async (signal, code) => {
    const work = workplace({ accounts: goodAccounts(RECORDS) }, sandbox);
    await admin.faults({ hangAfter: { at: [41, 42, 43] } });
    const pushing = work.startPush(["--concurrency", "8", "--metrics-file", "run.prom"]);
    await counter.after(40);
    expect(existsSync(work.file("run.prom"))).toBe(true);
    pushing.kill(signal);
    await pushing.waitForOutput(/Press Ctrl-C again/);
    const askedAt = performance.now();
    pushing.kill(signal);
    expect((await pushing.ended).code).toBe(code);
    expect(performance.now() - askedAt).toBeLessThan(20_000);
    expect(existsSync(work.file("run.prom"))).toBe(false);

    const status = await work.migrate(["status"]);
    expect(status.code).toBe(0);
    expect(status.stdout).toContain("interrupted");

    await admin.faults({});
    const resumed = await work.migrate(["resume"]);
    expect(resumed.code).toBe(0);
    expect(await admin.accounts()).toHaveLength(RECORDS);
    expect(await contradictionsOf(work)).toEqual([]);
  },
);

test.skipIf(process.platform === "win32")("a second signal does not remove a link to a device", async () => {
  const work = workplace({ accounts: goodAccounts(RECORDS) }, sandbox);
  symlinkSync("/dev/null", work.file("run.prom"));
  await admin.faults({ hangAfter: { at: [41, 42, 43] } });
  const pushing = work.startPush(["--concurrency", "8", "--metrics-file", "run.prom"]);
  await counter.after(40);
  pushing.kill("SIGTERM");
  await pushing.waitForOutput(/Press Ctrl-C again/);
  pushing.kill("SIGTERM");
  expect((await pushing.ended).code).toBe(143);
  expect(readlinkSync(work.file("run.prom"))).toBe("/dev/null");
});

test.skipIf(process.platform === "win32")(
  "a push ignores SIGUSR1 (the debugger of Node.js used to open on port 9229)",
  async () => {
    const work = workplace({ accounts: goodAccounts(RECORDS) }, sandbox);
    await admin.faults({ latencyMs: [20, 60] });
    const pushing = work.startPush(["--concurrency", "8", "--threads", "2"]);
    await counter.after(40);
    for (let again = 0; again < 3; again += 1) pushing.kill("SIGUSR1");
    await counter.after(80);
    const { code, stderr } = await pushing.ended;
    expect(stderr).not.toContain("Debugger listening");
    expect(code).toBe(0);
    expect(await admin.accounts()).toHaveLength(RECORDS);
  },
);

test("a push completes even if the reader of its output has exited", async () => {
  const work = workplace({ accounts: goodAccounts(RECORDS) }, sandbox);
  const pushing = work.startPush();
  pushing.process.stdout?.destroy();
  expect((await pushing.ended).code).toBe(0);
  expect(await admin.accounts()).toHaveLength(RECORDS);
  expect(await contradictionsOf(work)).toEqual([]);
});

async function contradictionsOf(work: Workplace): Promise<readonly string[]> {
  const evidence = await collectEvidence(admin, work.file(".migrate/ledger.db"), await latestRun(work));
  return contradictions(references(RECORDS), evidence, { ambiguous: 0 });
}
