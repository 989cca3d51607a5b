import { describe, expect, test } from "vitest";
import { PRIVATE_POSTGRES_IS_HERE, SKIPPED_WITHOUT_POSTGRES } from "../ledger/postgres/cluster.ts";
import { deliveryErrors, LATENCY_MS, QUICK_MS, useSharedRuns, WAITING_MS } from "./shared-run-scene.ts";

describe.skipIf(!PRIVATE_POSTGRES_IS_HERE)(
  `when a shared run is stopped or delayed ${SKIPPED_WITHOUT_POSTGRES},`,
  () => {
    const { admin, inScene, answerAfter } = useSharedRuns();

    test("one SIGTERM to the push stops all workers, and resume sends the rest", async () => {
      await answerAfter(WAITING_MS);
      const scene = await inScene(280);
      const push = scene.share(2);
      await scene.whenWorking(2);
      push.kill("SIGTERM");
      const end = await push.ended;
      await answerAfter(QUICK_MS);
      expect(end.code).toBe(3);
      expect((await scene.workers()).map(({ state }) => state)).toEqual(["left", "left"]);
      // The run has records left, so the message that refuses a later worker names the command that sends them.
      const late = await scene.migrate(["worker", "--ledger", scene.ledger]);
      expect(late.stderr).toMatch(/run \S+ has ended, so workers cannot join it\s.*`migrate resume \S+` sends the/s);
      const resumed = await scene.migrate(["resume", "--ledger", scene.ledger, "--format", "ndjson"]);
      expect(await deliveryErrors(280, resumed, admin)).toEqual([]);
    });

    test("database connections that are lost repeatedly only delay the run", async () => {
      await answerAfter(WAITING_MS);
      const scene = await inScene(300);
      const push = scene.share(2);
      await scene.whenWorking(2);
      await answerAfter(LATENCY_MS);
      for (const settled of [40, 90, 140, 190]) {
        await scene.whenSettled(settled);
        await scene.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'migrate' and datname = current_database()`,
        );
      }
      const end = await push.ended;
      expect(await deliveryErrors(300, end, admin)).toEqual([]);
      expect(end.code).toBe(0);
    });
  },
);
