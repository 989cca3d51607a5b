import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PRIVATE_POSTGRES_IS_HERE, SKIPPED_WITHOUT_POSTGRES } from "../ledger/postgres/cluster.ts";
import { projectFile, type TestSandbox, startTestSandbox } from "./cli.ts";
import { adminOf, outcomeLines, statusCounts } from "./push-scene.ts";
import { sharedPush, useServer } from "./shared-run-scene.ts";

const RECORDS = 120;
const OPEN_TRANSACTIONS = `
  select pid from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`;
const LONG_FREEZE = projectFile("test/failpoints/long-freeze.mjs");

describe.skipIf(!PRIVATE_POSTGRES_IS_HERE)(
  `a push without workers and with its ledger in PostgreSQL ${SKIPPED_WITHOUT_POSTGRES}`,
  () => {
    const { server } = useServer();
    let sandbox: TestSandbox;
    beforeAll(async () => {
      sandbox = await startTestSandbox({ flags: ["--forgetful", "--latency", "500"] });
    });
    afterAll(() => sandbox.stop());

    test("that was frozen beyond its lease sends none of its remaining requests after waking, and exits with 7", async () => {
      const admin = adminOf(sandbox);
      const scene = await sharedPush(RECORDS, sandbox, server());
      const flags = ["--ledger", scene.ledger, "--contract", "no-dedupe.yaml"];
      const frozen = scene.startPush([...flags, "--concurrency", "4"], { nodeFlags: ["--import", LONG_FREEZE] });
      await scene.whenSettled(20);
      frozen.kill("SIGSTOP");
      // An open transaction would keep the lease from expiring.
      while ((await scene.query(OPEN_TRANSACTIONS)).length > 0) {
        frozen.kill("SIGCONT");
        await delay(5);
        frozen.kill("SIGSTOP");
        await delay(50);
      }
      await admin.faults({ forgetful: true, latencyMs: 20 });
      // Lets the lease expire on the server, too.
      await scene.query("update migrate.writer set lease_until = clock_timestamp() - interval '1 second'");
      const resumed = await scene.migrate(["resume", "--ledger", scene.ledger, "--format", "ndjson"]);
      const { accepted = 0, ambiguous = 0 } = statusCounts(outcomeLines(resumed.stdout));
      expect([resumed.code, accepted + ambiguous]).toEqual([5, RECORDS]);
      const sent = await admin.imports();
      // Intents are written before their requests, so there are more intents than requests in flight.
      expect(ambiguous).toBeGreaterThan(4);

      // The failpoint turns only a freeze of more than a second into a long freeze.
      await delay(1_500);
      frozen.kill("SIGCONT");
      const end = await frozen.ended;
      expect(end.code).toBe(7);
      expect(end.stderr).toMatch(/the ledger \S+ is in use by another run/);
      expect(await admin.imports()).toEqual(sent);
      const keys = sent.filter(({ method }) => method === "POST").map(({ key }) => key);
      expect(new Set(keys).size).toBe(keys.length);
    });
  },
);
