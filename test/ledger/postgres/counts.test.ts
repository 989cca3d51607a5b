import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import type { LedgerStore } from "../../../src/ledger/ledger-store.ts";
import { openLedgerStore } from "../../../src/ledger/open-ledger-store.ts";
import { describeCounts, invalid } from "../behaviour/count-behaviour.ts";
import { attemptOutcomeOf, item, planned, PUSH, sendAll } from "../ledger-input.ts";
import { POSTGRES_IS_HERE, type PostgresCluster, SKIPPED_WITHOUT_POSTGRES, startPostgres } from "./cluster.ts";

const NAME = "migrate_test_counts";
const MISCOUNT = expect.stringMatching(/stored counts? differs? from/);

describe.skipIf(!POSTGRES_IS_HERE)(`counts of a PostgreSQL ledger ${SKIPPED_WITHOUT_POSTGRES}`, () => {
  let server: PostgresCluster;
  let store: LedgerStore;
  beforeAll(async () => {
    server = await startPostgres();
    store = await openLedgerStore(await server.createDatabase(NAME));
  });
  afterAll(() => server.stop());
  const emptied = async (): Promise<LedgerStore> => {
    await server.query("drop schema if exists migrate cascade", NAME);
    return store;
  };
  const countRows = async (): Promise<number> => {
    const [row] = await server.query("select count(*)::int as count from migrate.counts", NAME);
    return Number(row?.["count"]);
  };

  describeCounts("a PostgreSQL ledger", emptied);

  describe("in its tables:", () => {
    let ledger: Ledger;
    beforeEach(async () => {
      ledger = await (await emptied()).write("push", { create: true });
    });

    const closed = async (): Promise<readonly string[]> => {
      await ledger.close();
      return (await store.check()).findings;
    };
    test("many changes leave only a few rows", async () => {
      const items = Array.from({ length: 60 }, (_, index) => item(index + 1, `K${index}`));
      const run = await planned(ledger, items);
      // Close to the number of changes after which rows are merged.
      await server.query("select setval(pg_get_serial_sequence('migrate.counts', 'id'), 800)", NAME);
      for (const { record } of items) {
        const [found] = await ledger.sendable(run, record, record);
        if (found === undefined) throw new Error("Nothing to send.");
        const { identity, content, attempts } = found;
        const intent = { record, identity, content, attempt: attempts + 1, at: PUSH.startedAt };
        await ledger.saveIntents(run, [intent]);
        await ledger.saveOutcomes(run, [attemptOutcomeOf(intent, "accepted")]);
      }
      const [last] = await server.query("select max(id)::int as id from migrate.counts", NAME);
      expect(last?.["id"]).toBeGreaterThan(1_000);
      expect(await countRows()).toBeLessThan(200);
      expect((await ledger.summary(run)).counts).toEqual({ accepted: 60 });
      expect(await closed()).toEqual([]);
    });

    test.each([
      "update migrate.counts set count = count + 1 where kind = 'status'",
      "delete from migrate.counts where kind = 'requests'",
      "insert into migrate.counts (run, kind, name, count) values (1, 'error', 'invented', 1)",
      "update migrate.counts set count = 0 where kind = 'accepted'",
    ])("a wrong count is found: %s", async (sql) => {
      await sendAll(ledger, await planned(ledger, [item(1, "K1"), invalid(2)]), "accepted");
      await server.query(sql, NAME);
      expect(await closed()).toEqual([MISCOUNT]);
    });
  });
});
