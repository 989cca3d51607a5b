import { afterAll, beforeAll, describe } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { openLedgerStore } from "../../../src/ledger/open-ledger-store.ts";
import { describeLedger } from "../behaviour/ledger-behaviour.ts";
import { POSTGRES_IS_HERE, type PostgresCluster, SKIPPED_WITHOUT_POSTGRES, startPostgres } from "./cluster.ts";

describe.skipIf(!POSTGRES_IS_HERE)(`the ledger in PostgreSQL ${SKIPPED_WITHOUT_POSTGRES}`, () => {
  let server: PostgresCluster;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  const NAME = "migrate_test_ledger";
  let url: string;
  beforeAll(async () => {
    url = await server.createDatabase(NAME);
  });

  describeLedger("a PostgreSQL ledger", async (): Promise<Ledger> => {
    await server.query("drop schema if exists migrate cascade", NAME);
    return (await openLedgerStore(url)).write("push", { create: true });
  });
});
