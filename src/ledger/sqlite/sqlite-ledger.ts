import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { WallClock } from "../../time/clock.ts";
import type { Failure } from "../../model/failure.ts";
import { type FrequentWrites, tablesLedger } from "../tables-ledger.ts";
import { answer, finishNow, type Tables } from "../tables/tables.ts";
import { saveIntents, saveOutcomes } from "./tables/save-attempts.ts";
import type { Ledger } from "../ledger.ts";
import { unpackItems } from "../packed/packed-items.ts";
import { isLocked } from "./lock/ledger-lock.ts";
import { requireNoOtherCopy } from "./lock/other-copies.ts";
import { refuseOtherWriter } from "./lock/writer.ts";
import type { SendingStatus } from "../runs/run-outcome.ts";
import { createPlanner } from "./plan-items.ts";
import { recoveryOf } from "./tables/recovery.ts";
import { prepareAccepting } from "./tables/accept-in-batch.ts";
import { countChanges } from "./tables/count-schema.ts";
import { guarded, lostLedger, noLedger, preparePrivateFile, removeDatabase, statOf } from "./ledger-file.ts";
import { openForWriting } from "./open-for-writing.ts";
import { openDatabase, type SqliteDatabase } from "./sqlite-database.ts";
import { sqliteTables } from "./sqlite-tables.ts";
import { forgetChecksums, checksumsPath } from "./integrity/page-checksums.ts";
import { withChecksums, type ChecksummedDatabase } from "./integrity/checksummed-database.ts";
import { requireIntact, type IntegrityOptions } from "./integrity/ledger-check.ts";
import { createSchema, hasSchema } from "./ledger-schema.ts";
import { lateThread } from "../thread/late-thread.ts";
import type { CallMethods, LedgerWork } from "../thread/ledger-calls.ts";
import { type LedgerThread, startLedgerThread } from "../thread/ledger-thread.ts";
import { threadLedger } from "../thread/thread-ledger.ts";

export interface SqliteLedgerOptions {
  readonly path: string;
  /**
   * Whether to create a missing ledger (default: true). If false, a missing ledger causes a Failure: `run_unknown`, or
   * `ledger_outdated` if its journal exists.
   */
  readonly create?: boolean;
  /** Whether to only read the ledger, while another process may be writing to it. Default: false. */
  readonly readOnly?: boolean;
  /**
   * The process to record in the ledger as its writer (`writerText`). This process must hold the ledger's lock. Without
   * a writer, the caller must ensure that no other process writes.
   */
  readonly writer?: string | undefined;
  readonly clock?: WallClock;
  /** Receives messages about slow work. */
  readonly notice?: ((message: string) => void) | undefined;
}

/**
 * Opens the ledger at `path`. By default, creates the ledger if it does not exist. A ledger is one SQLite file,
 * readable only by its owner. When the promise of a method resolves, the change is on disk. A writer must hold the lock
 * (`lockLedger`).
 * @throws Failure `config` if the file is not a regular file, is not a ledger, or has another format (the file is not
 * changed); `ledger_damaged`, `ledger_in_use`, `storage`. The methods also throw the last three.
 */
export async function openLedger(options: SqliteLedgerOptions): Promise<Ledger> {
  const { path, create = true, readOnly = false, notice } = options;
  guarded(path, () => {
    requireNoOtherCopy(path);
    if (statOf(path) === undefined && statOf(checksumsPath(path)) !== undefined) throw removedLedger(path);
    if (statOf(path) === undefined && !create) throw noLedger(path);
    preparePrivateFile(path);
  });
  const sending = readOnly && isLocked(path) ? "pending" : "ambiguous";
  const database = readOnly ? openReadOnly(path, { isBusy: () => isLocked(path), notice })?.database : undefined;
  if (database !== undefined) return ledgerOver(database, { ...options, sending }, database.close);
  const opened = openWritable(path, options);
  return withThread(ledgerOver(opened.checksummed, { ...options, sending }, opened.checksummed.close), opened, options);
}

/** Reduces the cache of a connection that, from now on, only reads outcomes sequentially. */
const SMALL_CACHE = "pragma cache_size = -2000";

/** Adds the method `inThread` to a ledger. */
function withThread(
  ledger: Ledger,
  { file, checksummed, isChecked }: OpenedWritable,
  { path, writer }: SqliteLedgerOptions,
): Ledger {
  let moved: Ledger | undefined;
  const start = (): LedgerThread => startLedgerThread({ path, writer, isChecked });
  return {
    ...ledger,
    inThread(begins) {
      const onMoved = (): void => {
        checksummed.stopCheck();
        file.execute(SMALL_CACHE);
      };
      const here = { ...ledger, close: async () => checksummed.close() };
      if (moved === undefined && begins === "immediately") onMoved();
      moved ??= closeWithThread(
        begins === "immediately" ? start() : lateThread(here, { start, onMoved }),
        file,
        ledger,
      );
      return moved;
    },
    close: () => (moved ?? ledger).close(),
  };
}

/**
 * Returns the ledger of the thread. Also keeps the file open in this thread. Otherwise, if the process ended without
 * closing the ledger properly, SQLite would write the log into the file without updating the checksums.
 */
function closeWithThread(thread: LedgerThread, file: SqliteDatabase, here: Ledger): Ledger {
  return threadLedger(thread, here, async (isClean) => {
    await thread.end();
    if (isClean) return file.close();
    forgetChecksums(file.path);
    file.abandon();
  });
}

/**
 * Opens a second connection to a ledger. Another thread of this process must have the ledger open, but must not write
 * to it.
 */
export function openSecondConnection({ path, writer, isChecked }: LedgerWork): CallMethods {
  const database = openDatabase(path, { mustExist: true });
  database.execute(DURABLE);
  prepareForWriting(database);
  const checksummed = withChecksums(database, { isChecked, isLogKnown: true, writer });
  const ledger = ledgerOver(checksummed, {}, checksummed.close);
  return { ...ledger, close: async () => checksummed.close() };
}

/** First opens the ledger for reading, so that a refused ledger keeps the log left by a crash. */
function openWritable(path: string, { notice, writer }: SqliteLedgerOptions): OpenedWritable {
  if (writer !== undefined) refuseOtherWriter(path, writer);
  const seen = openReadOnly(path, { notice });
  seen?.database.close();
  const database = openForWriting(path);
  try {
    if (seen === undefined) requireIntact(database);
    createSchema(database);
    database.execute(DURABLE);
    prepareForWriting(database);
    const isChecked = seen?.integrity !== "trusted";
    return { file: database, isChecked, checksummed: withChecksums(database, { isChecked, writer }) };
  } catch (error) {
    database.abandon();
    throw error;
  }
}

interface OpenedWritable {
  readonly file: SqliteDatabase;
  readonly checksummed: ChecksummedDatabase;
  /** Whether the pages of the file were checked. */
  readonly isChecked: boolean;
}

/**
 * Opens the ledger for reading. Returns undefined for an empty database, and for a ledger that a crash left incomplete.
 */
function openReadOnly(
  path: string,
  options: IntegrityOptions | undefined,
): { readonly database: SqliteDatabase; readonly integrity: "checked" | "trusted" } | undefined {
  if (statOf(path)?.size === 0 || statOf(`${path}-journal`) !== undefined) return undefined;
  const database = openDatabase(path, { readOnly: true });
  try {
    const integrity = requireIntact(database, { ...options, trustsTime: true });
    if (hasSchema(database)) {
      // All later reads see the same state of the ledger, even during a push.
      database.execute("begin");
      return { database, integrity };
    }
  } catch (error) {
    database.close();
    throw error;
  }
  database.close();
  return undefined;
}

export function removedLedger(path: string): Failure {
  return lostLedger(path, `it is missing, but its checksum file ${checksumsPath(path)} exists`);
}

/**
 * Opens a ledger that lasts as long as the process, for a run that sends records and cannot be resumed. The ledger's
 * file is in `folder`, which is created if it is missing. Only the owner can read the file. The file is removed
 * immediately after it is opened, so that it never outlives the process; on Windows, it is removed when the ledger is
 * closed.
 */
export async function openTemporaryLedger(folder: string): Promise<Ledger> {
  const path = join(folder, `.plan-${process.pid}-${randomBytes(4).toString("hex")}.db`);
  guarded(path, () => preparePrivateFile(path));
  const database = openDatabase(path, { temporary: true });
  database.execute(TEMPORARY);
  const discard = (): void => {
    database.close();
    removeDatabase(path);
  };
  try {
    createSchema(database);
    prepareForWriting(database);
    const ledger = ledgerOver(database, {}, discard);
    // Windows does not allow this for an open file.
    if (process.platform !== "win32") rmSync(path);
    return ledger;
  } catch (error) {
    discard();
    throw error;
  }
}

function prepareForWriting(database: SqliteDatabase): void {
  countChanges(database);
  prepareAccepting(database);
}

/**
 * Settings of a ledger that does not need to survive a crash. The cache is 8 MB, because a plan is written and read
 * sequentially. SQLite sorts the plan once, in pieces of this size.
 */
const TEMPORARY =
  "pragma page_size = 8192; pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -8000";

/**
 * Settings of a durable ledger. The cache is 32 MB, because records are found by their identities, which are spread
 * over the whole file.
 */
const DURABLE = `pragma journal_mode = wal; pragma synchronous = full; pragma wal_autocheckpoint = 0;
  pragma cache_size = -32000;`;

interface OpenLedger {
  readonly clock?: WallClock | undefined;
  readonly sending?: SendingStatus;
}

/**
 * Returns a ledger backed by a database. The ledger does all work on the tables synchronously, so that calls do not
 * overlap and nothing interrupts a transaction.
 */
function ledgerOver(database: SqliteDatabase, options: OpenLedger, close: () => void): Ledger {
  const { clock, sending = "ambiguous" } = options;
  const tables = sqliteTables(database);
  const ledger = tablesLedger(
    {
      read: async (work) => guarded(database.path, () => finishNow(work(tables))),
      change: async (_, work) => database.transaction(() => finishNow(work(tables))),
    },
    frequentWrites(database),
    { clock, sending, close: async () => close() },
  );
  return { ...ledger, recovery: recoveryOf(database) };
}

function frequentWrites(database: SqliteDatabase): FrequentWrites<Tables> {
  const plan = createPlanner(database);
  return {
    plan: (_, run, items) => answer(plan(run, unpackItems(items))),
    saveIntents: (_, run, intents, outcomes) => answer(saveIntents(database, run, intents, outcomes)),
    saveOutcomes: (_, run, outcomes) => answer(saveOutcomes(database, run, outcomes)),
  };
}
