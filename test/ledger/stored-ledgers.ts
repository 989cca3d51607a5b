import path from "node:path";
import { Client } from "pg";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { ExportedRow, LedgerStore } from "../../src/ledger/ledger-store.ts";
import { openLedgerStore } from "../../src/ledger/open-ledger-store.ts";
import { lockLedger } from "../../src/ledger/sqlite/lock/ledger-lock.ts";
import { openLedger } from "../../src/ledger/sqlite/sqlite-ledger.ts";

/** A ledger in one kind of storage, opened by one process after another. */
export interface StoredLedger {
  readonly kind: string;
  readonly store: LedgerStore;
  /** Opens the ledger as a new process does. The new process then holds the lock. */
  readonly open: () => Promise<Ledger>;
  /** Simulates a process that dies with the ledger open, or is suspended for longer than its lease. Closes nothing. */
  readonly loseProcess: () => Promise<void>;
  /** Closes the ledger in the lost processes. */
  readonly closeLost: () => Promise<void>;
  /** Closes the ledger in every process. */
  readonly close: () => Promise<void>;
}

/** The ledgers that processes have opened. The last process has the lock. */
interface Opened {
  readonly add: (ledger: Ledger) => Ledger;
  readonly closeAll: () => Promise<void>;
  readonly closeLost: () => Promise<void>;
}

function openedLedgers(): Opened {
  const opened: Ledger[] = [];
  return {
    add(ledger) {
      opened.push(ledger);
      return ledger;
    },
    closeAll: () => closeAll(opened.splice(0)),
    closeLost: () => closeAll(opened.splice(0, opened.length - 1)),
  };
}

async function closeAll(ledgers: readonly Ledger[]): Promise<void> {
  for (const ledger of ledgers) await ledger.close();
}

/** Returns a ledger in this folder. `open` creates its file. */
export async function storedInSqlite(folder: string): Promise<StoredLedger> {
  const file = path.join(folder, "ledger.db");
  const opened = openedLedgers();
  let lock: Awaited<ReturnType<typeof lockLedger>> | undefined;
  const loseProcess = async (): Promise<void> => {
    await lock?.release();
    lock = undefined;
  };
  return {
    kind: "SQLite",
    store: await openLedgerStore(file),
    async open() {
      lock = await lockLedger(file, "push");
      return opened.add(await openLedger({ path: file, writer: lock.writer }));
    },
    loseProcess,
    closeLost: opened.closeLost,
    async close() {
      await opened.closeAll();
      await loseProcess();
    },
  };
}

/** A database whose ledger is emptied for each use, because creating a database takes much longer. */
export interface ReusedDatabase {
  readonly emptied: () => Promise<StoredLedger>;
  readonly close: () => Promise<void>;
}

/** @param url of an empty database */
export async function reusedDatabase(url: string): Promise<ReusedDatabase> {
  const store = await openLedgerStore(`${url}?sslmode=disable`);
  await (await store.write("push", { create: true })).close();
  const client = new Client({ connectionString: url });
  await client.connect();
  const found = await client.query<{ deletions: string }>(DELETE_RUNS);
  const deletions = found.rows[0]?.deletions ?? "";
  return {
    async emptied() {
      await client.query(`${deletions}; ${RESTART_NUMBERS}; update migrate.writer set holder = null`);
      return storedInPostgres(store, client);
    },
    close: () => client.end(),
  };
}

/**
 * A query that returns the statements that delete the rows of all tables, except the tables that describe the ledger
 * itself. The `counts` table is last, because deletions from other tables change the counts. For a few rows, `truncate`
 * is slower, and so is the next query of each table.
 */
const DELETE_RUNS = `
  select string_agg(format('delete from migrate.%I', tablename), '; ' order by tablename = 'counts') as deletions
  from pg_tables where schemaname = 'migrate' and tablename not in ('ledger', 'writer', 'marks')`;

const RESTART_NUMBERS = `
  select setval(format('migrate.%I', sequencename)::regclass, 1, false) from pg_sequences where schemaname = 'migrate'`;

function storedInPostgres(store: LedgerStore, client: Client): StoredLedger {
  const opened = openedLedgers();
  return {
    kind: "PostgreSQL",
    store,
    open: async () => opened.add(await store.write("push", { create: false })),
    async loseProcess() {
      // The lost process must not renew its lease before the next one acquires it.
      await client.query(
        "update migrate.writer set fence = fence + 1, lease_until = clock_timestamp() - interval '1 second'",
      );
    },
    closeLost: opened.closeLost,
    close: opened.closeAll,
  };
}

export async function exportedRows({ store }: StoredLedger): Promise<readonly ExportedRow[]> {
  const all: ExportedRow[] = [];
  for await (const rows of store.export()) all.push(...rows);
  return all;
}
