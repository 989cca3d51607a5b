import { describe, expect, test } from "vitest";
import { PRIVATE_POSTGRES_IS_HERE, SKIPPED_WITHOUT_POSTGRES } from "../ledger/postgres/cluster.ts";
import { deliveryErrors, QUICK_MS, useSharedRuns, WAITING_MS } from "./shared-run-scene.ts";

describe.skipIf(!PRIVATE_POSTGRES_IS_HERE)(
  `when the planner of a shared run is killed ${SKIPPED_WITHOUT_POSTGRES},`,
  () => {
    const { admin, inScene, answerAfter } = useSharedRuns();

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
      expect(refused.stderr).toMatch(/2 workers are still sending records of run/);
      await answerAfter(QUICK_MS);
      await scene.whenSettled(220);
      await expect.poll(async () => (await scene.workers()).every(({ state }) => state === "left")).toBe(true);
      const end = await scene.migrate(["resume", "--ledger", scene.ledger, "--format", "ndjson"]);
      expect(await deliveryErrors(220, end, admin)).toEqual([]);
      expect(end.code).toBe(0);
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
