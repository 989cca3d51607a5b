import { afterAll, beforeAll, describe } from "vitest";
import { describeLedger } from "../behaviour/ledger-behaviour.ts";
import { reusedDatabase, type ReusedDatabase } from "../stored-ledgers.ts";
import { POSTGRES_IS_HERE, type PostgresCluster, SKIPPED_WITHOUT_POSTGRES, startPostgres } from "./cluster.ts";

describe.skipIf(!POSTGRES_IS_HERE)(`the ledger in PostgreSQL ${SKIPPED_WITHOUT_POSTGRES}`, () => {
  let server: PostgresCluster;
  let database: ReusedDatabase;
  beforeAll(async () => {
    server = await startPostgres();
    database = await reusedDatabase(await server.createDatabase("migrate_test_ledger"));
  });
  afterAll(async () => {
    await database.close();
    await server.stop();
  });

  describeLedger("a PostgreSQL ledger", async () => (await database.emptied()).open());
});
