import { describe, expect, test } from "vitest";
import { PRIVATE_POSTGRES_IS_HERE, SKIPPED_WITHOUT_POSTGRES } from "../ledger/postgres/cluster.ts";
import { startTestSandbox } from "./cli.ts";
import { adminOf, outcomeLines, statusCounts } from "./push-scene.ts";
import { deliveryErrors, QUICK_MS, sharedPush, useSharedRuns, WAITING_MS } from "./shared-run-scene.ts";

describe.skipIf(!PRIVATE_POSTGRES_IS_HERE)(
  `when a worker of a shared run is killed ${SKIPPED_WITHOUT_POSTGRES},`,
  () => {
    const { server, admin, inScene, answerAfter } = useSharedRuns();

    test("the other workers send a killed worker's records exactly once, after its lease has expired", async () => {
      await answerAfter(WAITING_MS);
      const scene = await inScene(280);
      const push = scene.share(3);
      // On a slow machine, the third worker starts only when the other workers have sent all records.
      const [victim] = await scene.whenWorking(2);
      await scene.whenSettled(20);
      process.kill(victim?.pid ?? 0, "SIGKILL");
      await answerAfter(QUICK_MS);
      const end = await push.ended;
      expect(await deliveryErrors(280, end, admin)).toEqual([]);
      expect(end.code).toBe(0);
      const states = (await scene.workers()).map(({ id, state }) => (id === victim?.id ? `killed: ${state}` : state));
      expect([...new Set(states)].toSorted()).toEqual(["killed: lost", "left"]);
    });

    test("a killed worker's records in flight are ambiguous, and not sent again, if the platform does not detect repeats", async () => {
      const forgetful = await startTestSandbox({ flags: ["--forgetful"] });
      try {
        const scene = await sharedPush(300, forgetful, server());
        const platform = adminOf(forgetful);
        await platform.faults({ forgetful: true, latencyMs: WAITING_MS });
        const push = scene.share(3, ["--contract", "no-dedupe.yaml"]);
        const [victim] = await scene.whenWorking(2);
        await scene.whenSettled(20);
        process.kill(victim?.pid ?? 0, "SIGKILL");
        await platform.faults({ forgetful: true, latencyMs: QUICK_MS });
        const end = await push.ended;
        expect(await deliveryErrors(300, end, platform, { ambiguous: true })).toEqual([]);
        expect(end.code).toBe(5);
        expect(statusCounts(outcomeLines(end.stdout))["ambiguous"]).toBeGreaterThan(0);
      } finally {
        await forgetful.stop();
      }
    });

    test("the push names the signal that killed its only worker", async () => {
      const scene = await inScene(400);
      const push = scene.share(1, ["--rps", "5"]);
      const [victim] = await scene.whenWorking(1);
      process.kill(victim?.pid ?? 0, "SIGKILL");
      const { code, stderr } = await push.ended;
      // Exit code 5: the worker's records in flight are ambiguous.
      expect([3, 5]).toContain(code);
      expect(stderr).toContain(`worker process ${victim?.pid} was killed (signal 9)`);
      expect(stderr).toMatch(/`migrate resume [\w-]+` sends the rest/);
    });
  },
);
