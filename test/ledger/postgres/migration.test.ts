import { afterAll, beforeAll, describe } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { openLedgerStore } from "../../../src/ledger/open-ledger-store.ts";
import { describeMigration } from "../behaviour/migration-behaviour.ts";
import { POSTGRES_IS_HERE, type PostgresCluster, SKIPPED_WITHOUT_POSTGRES, startPostgres } from "./cluster.ts";

const NAME = "migrate_test_migration";

/** All histories use one ledger: creating the tables takes longer than a history. */
const EMPTY = `do $$ declare name text; begin
  for name in select tablename from pg_tables
    where schemaname = 'migrate' and tablename not in ('ledger', 'writer', 'marks', 'counts')
  loop execute format('delete from migrate.%I', name); end loop;
  delete from migrate.counts;
end $$`;

describe.skipIf(!POSTGRES_IS_HERE)(`the migration in a PostgreSQL ledger ${SKIPPED_WITHOUT_POSTGRES}`, () => {
  let server: PostgresCluster;
  let ledger: Ledger;
  beforeAll(async () => {
    server = await startPostgres();
    const store = await openLedgerStore(await server.createDatabase(NAME));
    ledger = await store.write("push", { create: true });
  });
  afterAll(async () => {
    await ledger.close();
    await server.stop();
  });

  const empty = async (): Promise<Ledger> => {
    await server.query(EMPTY, NAME);
    return ledger;
  };
  describeMigration("a PostgreSQL ledger", { empty }, Number(process.env["RUNS"] ?? 15));
});
