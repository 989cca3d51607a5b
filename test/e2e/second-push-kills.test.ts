import { describe, expect, test } from "vitest";
import { PRIVATE_POSTGRES_IS_HERE, SKIPPED_WITHOUT_POSTGRES } from "../ledger/postgres/cluster.ts";
import { outcomeLines, statusCounts } from "./push-scene.ts";
import { QUICK_MS, useSharedRuns, WAITING_MS } from "./shared-run-scene.ts";

describe.skipIf(!PRIVATE_POSTGRES_IS_HERE)(`a run whose planner is killed ${SKIPPED_WITHOUT_POSTGRES}`, () => {
  const { admin, inScene, answerAfter } = useSharedRuns(15);

  test("sends the remaining records with the other workers, and one of them writes the outcomes", async () => {
    await answerAfter(WAITING_MS);
    const scene = await inScene(80);
    const planner = scene.share(0, ["--concurrency", "4"]);
    await planner.waitForOutput(/and no worker on this machine/);
    const others = [scene.share(1, ["--concurrency", "4"]), scene.share(1, ["--concurrency", "4"])];
    await scene.whenWorking(1);
    planner.kill("SIGKILL");
    await planner.ended;
    await answerAfter(QUICK_MS);
    const ends = await Promise.all(others.map(({ ended }) => ended));
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    expect(ends.some(({ stderr }) => stderr.includes("No other process is left to complete run"))).toBe(true);
    const report = ends.map(({ stdout }) => outcomeLines(stdout)).find((lines) => lines.length > 0);
    expect(statusCounts(report ?? [])).toEqual({ skipped: 80 });
    expect(await admin.accounts()).toHaveLength(80);
    expect(await admin.imports()).toHaveLength(80);
  });

  test("is continued by the same push, which waits for the remaining workers instead of joining them", async () => {
    await answerAfter(WAITING_MS);
    const scene = await inScene(60);
    const planner = scene.share(0, ["--concurrency", "4"]);
    await planner.waitForOutput(/and no worker on this machine/);
    const worker = scene.start(["worker", "--ledger", scene.ledger]);
    await scene.whenWorking(1);
    planner.kill("SIGKILL");
    await planner.ended;
    const again = scene.share(1, ["--concurrency", "4"]);
    await again.waitForOutput(/Waiting for 1 worker of run \S+: the process that planned that run has ended/);
    await answerAfter(QUICK_MS);
    expect((await worker.ended).code).toBe(0);
    const end = await again.ended;
    expect([end.code, statusCounts(outcomeLines(end.stdout))]).toEqual([0, { skipped: 60 }]);
    expect(await admin.imports()).toHaveLength(60);
  });
});
