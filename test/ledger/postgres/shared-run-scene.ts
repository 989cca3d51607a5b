import { afterAll, afterEach, beforeAll } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { openLedgerStore } from "../../../src/ledger/open-ledger-store.ts";
import { connectionSettings } from "../../../src/ledger/postgres/connection/connection-settings.ts";
import { openPool } from "../../../src/ledger/postgres/connection/open-pool.ts";
import { acquireWriterLease } from "../../../src/ledger/postgres/lock/writer-lease.ts";
import { openPostgres, type PostgresDatabase } from "../../../src/ledger/postgres/postgres-database.ts";
import { postgresLedger } from "../../../src/ledger/postgres/postgres-ledger.ts";
import { postgresSharedRun } from "../../../src/ledger/postgres/shared/postgres-shared-run.ts";
import type { SharedRun } from "../../../src/ledger/runs/shared-run.ts";
import { item, planned } from "../ledger-input.ts";
import { startPostgres } from "./cluster.ts";
import { type CuttingProxy, startCuttingProxy } from "./cutting-proxy.ts";

type Server = Awaited<ReturnType<typeof startPostgres>>;

interface Plan {
  readonly ledger: Ledger;
  readonly run: string;
  readonly planner: SharedRun;
}

interface SharedRuns {
  readonly url: () => string;
  readonly proxy: () => CuttingProxy;
  /** Returns a URL without TLS, so that the proxy can read the messages. */
  readonly throughProxy: () => string;
  /** Connections and ledgers to close after the test. */
  readonly opened: { readonly close: () => Promise<void> }[];
  readonly query: (sql: string) => ReturnType<Server["query"]>;
  readonly connect: (address?: string) => Promise<PostgresDatabase>;
  /** Plans a run of this many records, as a push does. */
  readonly plan: (records: number) => Promise<Plan>;
  /** Opens the run as another process. */
  readonly processOf: (run: string, address?: string) => Promise<SharedRun>;
  /** Ends the lease of the planner, as if its machine had died. */
  readonly giveUpWriter: () => Promise<unknown>;
}

/** Starts a PostgreSQL server with this database, and a proxy that can cut connections, for the tests of a group. */
export function useSharedRuns(name: string): SharedRuns {
  let server: Server;
  let proxy: CuttingProxy;
  let url: string;
  const opened: SharedRuns["opened"] = [];

  beforeAll(async () => {
    server = await startPostgres();
    proxy = await startCuttingProxy(server.port);
    url = await server.createDatabase(name);
    await (await (await openLedgerStore(url)).write("push", { create: true })).close();
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close().catch(() => undefined);
    await query("delete from migrate.shared_runs; update migrate.writer set holder = null");
  });
  afterAll(async () => {
    await proxy.stop();
    await server.stop();
  });

  const query = (sql: string): ReturnType<Server["query"]> => server.query(sql, name);
  const connect = async (address: string = url): Promise<PostgresDatabase> => {
    const settings = connectionSettings(address);
    const database = openPostgres({ name: settings.shown, pool: await openPool(settings), patienceMs: 10_000 });
    opened.push(database);
    return database;
  };
  const throughProxy = (): string => `${url.replace(`:${server.port}/`, `:${proxy.port}/`)}?sslmode=disable`;
  const plan = async (records: number): Promise<Plan> => {
    const database = await connect();
    const lease = await acquireWriterLease(database, "push");
    opened.push({ close: lease.release });
    const ledger = postgresLedger(database, { fence: lease.fence, close });
    const run = await planned(ledger, items(records));
    return { ledger, run, planner: await postgresSharedRun(database, run, { planner: lease.fence, close }) };
  };
  const processOf = async (run: string, address?: string): Promise<SharedRun> =>
    postgresSharedRun(await connect(address), run, { close });
  const giveUpWriter = (): Promise<unknown> =>
    query(`update migrate.writer set lease_until = clock_timestamp() - interval '1 second',
      holder = (holder::jsonb || '{"host":"other"}')::text`);
  return { url: () => url, proxy: () => proxy, throughProxy, opened, query, connect, plan, processOf, giveUpWriter };
}

/** Does nothing, because the code that opened the connections closes them. */
export async function close(): Promise<void> {
  return undefined;
}

/** Returns items with random keys, so that no other test uses them. */
export function items(records: number): ReturnType<typeof item>[] {
  return Array.from({ length: records }, (_, index) => item(index + 1, `${Math.random()} ${index}`));
}
