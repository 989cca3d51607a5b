import { PRIVATE_POSTGRES_IS_HERE, RUN_SERVER, startPrivatePostgres } from "./ledger/postgres/cluster.ts";

/** Starts one PostgreSQL server for the whole test run, if PostgreSQL is installed. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (!PRIVATE_POSTGRES_IS_HERE) return undefined;
  const server = await startPrivatePostgres();
  process.env[RUN_SERVER] = server.url;
  return () => server.stop();
}
