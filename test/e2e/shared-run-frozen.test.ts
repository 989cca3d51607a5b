import { describe, expect, test } from "vitest";
import { PRIVATE_POSTGRES_IS_HERE, SKIPPED_WITHOUT_POSTGRES } from "../ledger/postgres/cluster.ts";
import { deliveryErrors, useSharedRuns, WAITING_MS } from "./shared-run-scene.ts";

describe.skipIf(!PRIVATE_POSTGRES_IS_HERE)(`in a run of several workers ${SKIPPED_WITHOUT_POSTGRES},`, () => {
  const { admin, inScene, answerAfter } = useSharedRuns();

  test("a worker frozen beyond its lease writes nothing when it wakes, and joins again", async () => {
    const scene = await inScene(700);
    const push = scene.share(2, ["--concurrency", "8"]);
    const [, frozen] = await scene.whenWorking(2);
    await scene.whenSettled(60);
    process.kill(frozen?.pid ?? 0, "SIGSTOP");
    await expect.poll(async () => (await scene.workers()).map(({ state }) => state)).toContain("lost");
    process.kill(frozen?.pid ?? 0, "SIGCONT");
    const end = await push.ended;
    expect(await deliveryErrors(700, end, admin)).toEqual([]);
    expect(end.code).toBe(0);
    expect(await scene.workers()).toHaveLength(3);
  });

  test("a worker frozen until the push was stopped reports that records are left", async () => {
    await answerAfter(WAITING_MS);
    const scene = await inScene(60);
    const push = scene.share(0, ["--concurrency", "4"]);
    await push.waitForOutput(/no worker on this machine/);
    const worker = scene.start(["worker", "--ledger", scene.ledger]);
    await scene.whenWorking(1);
    worker.kill("SIGSTOP");
    push.kill("SIGTERM");
    // The worker may or may not have requests in flight when it freezes.
    expect([3, 5]).toContain((await push.ended).code);
    worker.kill("SIGCONT");
    const { code, stderr } = await worker.ended;
    expect([3, 5]).toContain(code);
    expect(stderr).toMatch(/run \S+ has ended, so workers cannot join it\s.*`migrate resume \S+` sends the/s);
    expect(stderr).not.toMatch(/nothing left to send/);
  });
});
