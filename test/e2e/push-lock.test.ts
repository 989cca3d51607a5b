import { hostname } from "node:os";
import { existsSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type CliEnd, type TestSandbox, startTestSandbox } from "./cli.ts";
import { countRequests, type RequestCounter } from "./kill-schedule.ts";
import { type Admin, adminOf, goodAccounts, outcomeLines, statusCounts, workplace } from "./push-scene.ts";

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

test.each([["push"], ["resume"]])(
  "during a push, %s on the same ledger ends immediately and names the holder of the lock",
  async (command) => {
    const work = workplace({ accounts: goodAccounts(60) }, sandbox);
    await admin.faults({ hangBefore: { at: [10] } });
    const first = work.startPush(["--concurrency", "4"]);
    await counter.after(9);

    const second = (): Promise<CliEnd> => (command === "push" ? work.push() : work.migrate(["resume"]));
    const { code, stdout, stderr } = await second();
    expect([code, stdout]).toEqual([7, ""]);
    expect(stderr).toContain(`\`push\`, process ${first.pid} on ${hostname()}, since ${new Date().getFullYear()}`);

    const status = await work.migrate(["status"]);
    expect(status.stdout).toContain("running");
    const refusedMs = await quickest(second);
    expect(refusedMs - (await quickest(() => work.migrate(["status"])))).toBeLessThan(4_000);
    first.kill("SIGKILL");
    await first.ended;
  },
);

/** Returns the duration in ms of the faster of two runs, because other work on the machine can slow down a run. */
async function quickest(run: () => Promise<CliEnd>): Promise<number> {
  const times: number[] = [];
  for (let tries = 0; tries < 2; tries += 1) {
    const startedAt = performance.now();
    await run();
    times.push(performance.now() - startedAt);
  }
  return Math.min(...times);
}

test("of several pushes started at the same time, one runs and all others are refused", async () => {
  const work = workplace({ accounts: goodAccounts(60) }, sandbox);
  // The running push must not end before the other pushes have started.
  await admin.faults({ latencyMs: 800 });
  let refusals = 0;
  const pushes = [1, 2, 3].map(async () => {
    const end = await work.startPush(["--concurrency", "2"]).ended;
    refusals += end.code === 7 ? 1 : 0;
    return end;
  });
  await expect.poll(() => refusals).toBe(2);
  await admin.faults({});
  const ends = await Promise.all(pushes);
  expect(ends.map(({ code }) => code ?? -1).toSorted((one, other) => one - other)).toEqual([0, 7, 7]);
  expect(await admin.accounts()).toHaveLength(60);
  expect(await admin.imports()).toHaveLength(60);
});

test("resume takes over the requests in flight of a killed push", async () => {
  const work = workplace({ accounts: goodAccounts(40) }, sandbox);
  await admin.faults({ hangBefore: { at: [10] } });
  const killed = work.startPush(["--concurrency", "4"]);
  await counter.after(9);
  killed.kill("SIGKILL");
  await killed.ended;
  await admin.faults({});
  expect((await work.migrate(["resume"])).code).toBe(0);
  expect(await admin.accounts()).toHaveLength(40);
});

test("a push takes over a ledger whose holder was killed", async () => {
  const work = workplace({ accounts: goodAccounts(60) }, sandbox);
  await admin.faults({ hangBefore: { at: [10] } });
  const killed = work.startPush(["--concurrency", "4"]);
  await counter.after(9);
  killed.kill("SIGKILL");
  await killed.ended;
  expect(existsSync(work.file(".migrate/ledger.db.lock"))).toBe(true);

  await admin.faults({});
  const { code, stdout } = await work.push();
  expect(code).toBe(0);
  const { accepted = 0, skipped = 0 } = statusCounts(outcomeLines(stdout));
  expect(accepted + skipped).toBe(60);
  expect(await admin.accounts()).toHaveLength(60);
  expect(existsSync(work.file(".migrate/ledger.db.lock"))).toBe(false);
});
