import { hostname } from "node:os";
import { existsSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { SandboxProcess } from "./cli.ts";
import { startSandboxProcess } from "./cli.ts";
import { countRequests } from "./kill-schedule.ts";
import type { RequestCounter } from "./kill-schedule.ts";
import type { Admin } from "./push-scene.ts";
import { adminOf, goodAccounts, outcomeLines, statusCounts, workplace } from "./push-scene.ts";

let sandbox: SandboxProcess;
let admin: Admin;
let counter: RequestCounter;
beforeAll(async () => {
  sandbox = await startSandboxProcess({ flags: ["--verbose"] });
  admin = adminOf(sandbox);
  counter = countRequests(sandbox);
});
afterAll(() => sandbox.stop());
beforeEach(() => admin.reset());

test.each([["push"], ["resume"]])(
  "beside a push, a %s on the same ledger ends at once and says who holds it",
  async (command) => {
    const work = workplace({ accounts: goodAccounts(60) }, sandbox);
    await admin.faults({ hangBefore: { at: [10] } });
    const first = work.startPush(["--concurrency", "4"]);
    await counter.after(9);

    const askedAt = performance.now();
    const { code, stdout, stderr } = await (command === "push" ? work.push() : work.migrate(["resume"]));
    expect(code).toBe(7);
    expect(performance.now() - askedAt).toBeLessThan(3_000);
    expect(stdout).toBe("");
    expect(stderr).toContain(String(first.pid));
    expect(stderr).toContain(hostname());

    const status = await work.migrate(["status"]);
    expect(status.stdout).toContain("running");
    first.kill("SIGKILL");
    await first.ended;
  },
);

test("a ledger whose holder was killed is taken over", async () => {
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
