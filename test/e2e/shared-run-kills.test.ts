import { describe, expect, test } from "vitest";
import { PRIVATE_POSTGRES_IS_HERE, SKIPPED_WITHOUT_POSTGRES } from "../ledger/postgres/cluster.ts";
import { startTestSandbox } from "./cli.ts";
import { adminOf, outcomeLines, statusCounts } from "./push-scene.ts";
import { deliveryErrors, QUICK_MS, sharedPush, useSharedRuns, WAITING_MS } from "./shared-run-scene.ts";

describe.skipIf(!PRIVATE_POSTGRES_IS_HERE)(
  `when a process of a shared run is killed ${SKIPPED_WITHOUT_POSTGRES},`,
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

    test("a killed worker's requests in flight are ambiguous, not repeated, if the platform does not detect repeats", async () => {
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

    test("workers whose planner was killed continue to send, and resume completes the run", async () => {
      await answerAfter(2 * WAITING_MS);
      const scene = await inScene(220);
      const push = scene.share(2);
      await scene.whenWorking(2);
      const died = new Promise((resolve) => void push.process.once("exit", resolve));
      push.kill("SIGKILL");
      await died;
      const refused = await scene.migrate(["resume", "--ledger", scene.ledger]);
      expect(refused.code).toBe(7);
      expect(refused.stderr).toMatch(/2 workers are still sending run/);
      await answerAfter(QUICK_MS);
      await scene.whenSettled(220);
      await expect.poll(async () => (await scene.workers()).every(({ state }) => state === "left")).toBe(true);
      const end = await scene.migrate(["resume", "--ledger", scene.ledger, "--format", "ndjson"]);
      expect(await deliveryErrors(220, end, admin)).toEqual([]);
      expect(end.code).toBe(0);
    });

    test("the push names the signal that killed its only worker", async () => {
      const scene = await inScene(400);
      const push = scene.share(1, ["--rps", "5"]);
      const [victim] = await scene.whenWorking(1);
      process.kill(victim?.pid ?? 0, "SIGKILL");
      const { code, stderr } = await push.ended;
      // Exit code 5: the worker's requests in flight are ambiguous.
      expect([3, 5]).toContain(code);
      expect(stderr).toContain(`worker process ${victim?.pid} was killed (signal 9)`);
      expect(stderr).toMatch(/`migrate resume [\w-]+` sends the rest/);
    });

    test("a worker whose planner was killed suggests `migrate resume`", async () => {
      await answerAfter(WAITING_MS);
      const scene = await inScene(60);
      const push = scene.share(0, ["--concurrency", "4"]);
      await push.waitForOutput(/no worker on this machine/);
      const worker = scene.start(["worker", "--ledger", scene.ledger]);
      await scene.whenWorking(1);
      push.kill("SIGKILL");
      await push.ended;
      await answerAfter(QUICK_MS);
      const { code, stderr } = await worker.ended;
      expect(code).toBe(0);
      expect(stderr).toMatch(/The process that planned run [\w-]+ has ended\. `migrate resume [\w-]+`/);
    });
  },
);
