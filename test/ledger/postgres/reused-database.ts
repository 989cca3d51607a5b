import { afterAll, beforeAll } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { reusedDatabase, type ReusedDatabase } from "../stored-ledgers.ts";
import { type PostgresCluster, startPostgres } from "./cluster.ts";

/** Creates a database for all tests in a file. Returns a function that empties it and opens a ledger in it. */
export function useReusedDatabase(name: string): () => Promise<Ledger> {
  let server: PostgresCluster;
  let database: ReusedDatabase;
  beforeAll(async () => {
    server = await startPostgres();
    database = await reusedDatabase(await server.createDatabase(name));
  });
  afterAll(async () => {
    await database.close();
    await server.stop();
  });
  return async () => (await database.emptied()).open();
}
