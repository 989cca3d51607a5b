import { PRIVATE_POSTGRES_IS_HERE, RUN_SERVER, startPrivatePostgres } from "./ledger/postgres/cluster.ts";

/** Starts the PostgreSQL server of the whole run of tests, where there is one to start. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (!PRIVATE_POSTGRES_IS_HERE) return undefined;
  const server = await startPrivatePostgres();
  process.env[RUN_SERVER] = server.url;
  return () => server.stop();
}
