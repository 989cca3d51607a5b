import type { Ledger } from "../ledger.ts";
import { missingLedger } from "../ledger-failures.ts";
import { counted } from "../../text/count.ts";
import type { ActiveWork, ActiveWriter, LedgerStore, StoreOptions } from "../ledger-store.ts";
import { nameOf } from "../lock-holder.ts";
import { findRun, listRuns } from "../tables/runs.ts";
import { finish } from "../tables/tables.ts";
import { connectionSettings } from "./connection/connection-settings.ts";
import { openPool } from "./connection/open-pool.ts";
import { checkTables, warnOfServer } from "./integrity/table-check.ts";
import { acquireWriterLease, writerOf } from "./lock/writer-lease.ts";
import { type Fence, openPostgres, type PostgresDatabase, type Snapshot } from "./postgres-database.ts";
import { exportTables } from "./postgres-export.ts";
import { ledgerToRead, postgresLedger } from "./postgres-ledger.ts";
import { createSchema, ledgerExists } from "./postgres-schema.ts";
import { postgresTables, requireRun } from "./postgres-tables.ts";
import type { Queries } from "./queries.ts";
import { endAbandonedRuns, refuseLiveWorkers, workingOf } from "./shared/end-shared-run.ts";
import { postgresSharedRun } from "./shared/postgres-shared-run.ts";
import { tryRangeQueue } from "./shared/range-queue.ts";
import { requireWriteAccess } from "./write-access.ts";
import { sharedStatus } from "./shared/worker-rows.ts";

/** The folder for reports and copies of standard input, which are stored on the machine that creates them. */
const LOCAL_FOLDER = ".migrate";

/** How long a process that writes to the ledger waits for an unreachable server. */
const PATIENCE_MS = 60_000;

/**
 * Returns the store of a ledger in the schema `migrate` of a PostgreSQL database. Only two kinds of process write to
 * the ledger: the holder of its lease and, in a shared run, the workers that hold ranges.
 */
export function postgresLedgerStore(url: string, { notice, drain }: StoreOptions = {}): LedgerStore {
  const settings = connectionSettings(url);
  const name = settings.shown;
  const connect = async (patienceMs = 0): Promise<PostgresDatabase> =>
    openPostgres({ name, pool: await openPool(settings), patienceMs, notice });

  /** Set once this process has opened the ledger for writing. A shared run then uses the same connections. */
  let writing: OpenDatabase | undefined;

  return {
    name,
    server: `${settings.host}:${settings.port}/${settings.database}`,
    folder: LOCAL_FOLDER,
    write: async (command, { create }) =>
      opened(await connect(PATIENCE_MS), async (database) => {
        const { ledger, fence } = await openForUpdates(database, { command, create, notice, drain });
        writing = { database, fence };
        return ledger;
      }),
    read: async () => opened(await connect(), openReadOnly),
    async share(run) {
      if (writing === undefined) {
        return opened(await connect(PATIENCE_MS), async (database) => {
          await requireLedger(database);
          return postgresSharedRun(database, run, { close: database.close });
        });
      }
      const { database, fence: planner } = writing;
      return postgresSharedRun(database, run, { planner, close: async () => undefined });
    },
    async requireSharing() {
      if (writing !== undefined) await tryRangeQueue(writing.database);
    },
    async requireWritable() {
      const database = await connect();
      await requireWriteAccess(database).finally(() => database.close());
    },
    activeWriter: () => withSnapshot(connect, findActiveWriter),
    sharedStatus: (run) =>
      withSnapshot(connect, async (snapshot) => sharedStatus(snapshot, (await requireRun(snapshot, run)).number, run)),
    activeRun: () => withSnapshot(connect, activeRun),
    check: () =>
      withSnapshot(connect, async (snapshot) => {
        await requireLedger(snapshot);
        return checkTables(snapshot);
      }),
    async *export() {
      const database = await connect();
      try {
        const snapshot = await database.snapshot();
        await requireLedger(snapshot);
        yield* exportTables(snapshot);
      } finally {
        await database.close();
      }
    },
  };
}

/** Performs work on a database, and closes the database if the work fails. */
async function opened<Result>(
  database: PostgresDatabase,
  work: (database: PostgresDatabase) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(database);
  } catch (error) {
    await database.close();
    throw error;
  }
}

interface WriteOptions extends StoreOptions {
  readonly command: string;
  readonly create: boolean;
}

interface OpenDatabase {
  readonly database: PostgresDatabase;
  readonly fence: Fence;
}

/** Opens the ledger for writing under its lease, and releases the lease when the ledger is closed. */
async function openForUpdates(
  database: PostgresDatabase,
  { command, create, ...waiting }: WriteOptions,
): Promise<{ readonly ledger: Ledger; readonly fence: Fence }> {
  if (!create && !(await ledgerExists(database))) throw missingLedger(database.name);
  await createSchema(database);
  await warnOfServer(database, waiting.notice);
  if ((await writerOf(database)) === undefined) await refuseLiveWorkers(database, waiting);
  const lease = await acquireWriterLease(database, command, waiting);
  const { fence } = lease;
  try {
    await refuseLiveWorkers(database, waiting);
    await endAbandonedRuns(database, fence);
  } catch (error) {
    await lease.release();
    throw error;
  }
  const ledger = postgresLedger(database, {
    fence,
    lease,
    async close() {
      await lease.release();
      await database.close();
    },
  });
  return { ledger, fence };
}

async function openReadOnly(database: PostgresDatabase): Promise<Ledger> {
  const snapshot = await database.snapshot();
  await requireLedger(snapshot);
  const sending = (await writerOf(snapshot)) === undefined ? "ambiguous" : "pending";
  return ledgerToRead(snapshot, sending, database.close);
}

/**
 * Returns the run that the current writer is working on: the recorded run or, if none is recorded, the latest run that
 * has not ended.
 */
async function activeRun(queries: Queries): Promise<string | undefined> {
  const holder = (await ledgerExists(queries)) ? await writerOf(queries) : undefined;
  if (holder === undefined) return undefined;
  const { run } = holder;
  const open = (await finish(listRuns(postgresTables(queries)))).filter(({ exitCode }) => exitCode === undefined);
  return open.find(({ id }) => run === undefined || id === run)?.id;
}

async function findActiveWriter(queries: Queries): Promise<ActiveWriter | undefined> {
  if (!(await ledgerExists(queries))) return undefined;
  const holder = await writerOf(queries);
  if (holder === undefined) return abandonedWork(queries);
  const { command, run } = holder;
  return { who: nameOf(holder), command, ...(run !== undefined && (await workOn(queries, run))) };
}

/** Describes workers that are still running after the process that planned their run has ended. */
async function abandonedWork(queries: Queries): Promise<ActiveWriter | undefined> {
  const working = await workingOf(queries);
  const [first] = working;
  if (first === undefined) return undefined;
  return { who: `${counted(working.length, "worker")} of run ${first.run}`, ...(await workOn(queries, first.run)) };
}

async function workOn(queries: Queries, id: string): Promise<ActiveWork> {
  const { number } = await requireRun(queries, id);
  return { run: await finish(findRun(postgresTables(queries), id)), shared: await sharedStatus(queries, number, id) };
}

async function requireLedger(queries: Queries): Promise<void> {
  if (!(await ledgerExists(queries))) throw missingLedger(queries.name);
}

async function withSnapshot<Result>(
  connect: () => Promise<PostgresDatabase>,
  ask: (snapshot: Snapshot) => Promise<Result>,
): Promise<Result> {
  const database = await connect();
  try {
    return await ask(await database.snapshot());
  } finally {
    await database.close();
  }
}
