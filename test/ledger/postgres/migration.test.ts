import { afterAll, beforeAll, describe } from "vitest";
import type { LedgerStore } from "../../../src/ledger/ledger-store.ts";
import { openLedgerStore } from "../../../src/ledger/open-ledger-store.ts";
import { describeMigration } from "../behaviour/migration-behaviour.ts";
import { POSTGRES_IS_HERE, type PostgresCluster, SKIPPED_WITHOUT_POSTGRES, startPostgres } from "./cluster.ts";

const NAME = "migrate_test_migration";

describe.skipIf(!POSTGRES_IS_HERE)(`the migration in a PostgreSQL ledger ${SKIPPED_WITHOUT_POSTGRES}`, () => {
  let server: PostgresCluster;
  let store: LedgerStore;
  beforeAll(async () => {
    server = await startPostgres();
    store = await openLedgerStore(await server.createDatabase(NAME));
  });
  afterAll(() => server.stop());

  describeMigration(
    "a PostgreSQL ledger",
    async () => {
      await server.query("drop schema if exists migrate cascade", NAME);
      return store;
    },
    15,
  );
});
