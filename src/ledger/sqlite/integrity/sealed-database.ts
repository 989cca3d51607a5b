import { damagedLedger, ledgerFailure, statOf } from "../ledger-file.ts";
import { BUSY_TIMEOUT, pragma, type Query, type SqliteDatabase } from "../sqlite-database.ts";
import { checkPages } from "./page-check.ts";
import { readSeal, type Seal, sealPath, updateSeal, writeCommitCount, writeSealWithoutChecksums } from "./seal.ts";

interface SealedDatabase extends SqliteDatabase {
  /** False where something is left in the log that could not be written into the file. */
  readonly close: () => boolean;
  /** Another thread writes from here on, and looks at the pages, too. */
  readonly stopCheck: () => void;
}

/**
 * The same database, kept under seal: the file beside it knows the checksum of every page and how many transactions were
 * committed, so that damage of any kind is noticed when it is opened next (`requireSound`). The log goes into the file
 * only here, because the seal has to change with it.
 *
 * Costs one small row a transaction and one unsynced write of 28 bytes.
 * @param options `isChecked`: false for a large one whose pages nobody has looked at; they are looked at from here on, and
 * once one is not what was written, every transaction is refused. `isLogKnown`: what is in the log was written by this
 * process, under this seal, so that it need not go into the file at once
 */
export function sealedDatabase(
  database: SqliteDatabase,
  { isChecked = true, isLogKnown = false }: { readonly isChecked?: boolean; readonly isLogKnown?: boolean } = {},
): SealedDatabase {
  const { path } = database;
  let seal = guarded(() => sealOf(database), path);
  const check = isChecked ? undefined : checkPages(path, () => seal);
  const requireUnbroken = (): void => {
    const broken = check?.broken();
    if (broken !== undefined) throw damagedLedger(path, broken);
  };
  let hasWritten = logSize(path) > 0;

  /** False while others read, or where the disk does not let it: all of it is in the log, and there it stays. */
  const checkpoint = (): boolean => {
    const done = database.row(CHECKPOINT);
    if (done === undefined || done.busy !== 0 || done.log !== done.checkpointed) return false;
    seal = guarded(() => updateSeal(path, seal), path);
    truncateLog(database);
    hasWritten = false;
    return true;
  };
  if (hasWritten && !isLogKnown) checkpoint();

  return {
    ...database,
    stopCheck: () => check?.stop(),
    run(sql, ...values) {
      hasWritten = true;
      return database.run(sql, ...values);
    },
    transaction(work) {
      requireUnbroken();
      const [result, commits] = database.transaction(() => [work(), countCommit(database)] as const);
      hasWritten = true;
      seal = { ...seal, commits };
      // What is committed stays so: a failure now would be taken for one of the transaction.
      unlessFailing(() => writeCommitCount(sealPath(path), seal));
      if (logSize(path) > LARGEST_LOG_BYTES) unlessFailing(checkpoint);
      return result;
    },
    close() {
      check?.stop();
      if (check?.broken() !== undefined) {
        // The seal of a damaged file is what tells of it: it stays as it is.
        database.abandon();
        return true;
      }
      let isClean = false;
      try {
        isClean = !hasWritten || checkpoint();
      } finally {
        if (isClean) database.close();
        else {
          unlessFailing(() => writeSealWithoutChecksums(sealPath(path), seal));
          database.abandon();
        }
      }
      return isClean;
    },
  };
}

/** The seal may lag behind; what fails in the database itself fails again when it is used next. */
function unlessFailing(work: () => unknown): void {
  try {
    work();
  } catch {
    // Said by whatever comes next.
  }
}

/** Rewriting a page in the log costs less than writing it into the file, and a long log slows down whoever reads it. */
const LARGEST_LOG_BYTES = 32 * 1024 * 1024;

interface Checkpointed {
  readonly busy: number;
  readonly log: number;
  readonly checkpointed: number;
}
/** Passive: it waits for nobody, so that no reader holds up a push. */
const CHECKPOINT: Query<Checkpointed> = { sql: "pragma wal_checkpoint(passive)" };
const TRUNCATE: Query<Checkpointed> = { sql: "pragma wal_checkpoint(truncate)" };

/** Where somebody reads, the log keeps its size, and is written anew from its beginning later. */
function truncateLog(database: SqliteDatabase): void {
  database.execute("pragma busy_timeout = 0");
  try {
    database.row(TRUNCATE);
  } finally {
    database.execute(`pragma busy_timeout = ${BUSY_TIMEOUT}`);
  }
}

function sealOf(database: SqliteDatabase): Seal {
  const known = readSeal(sealPath(database.path));
  if (known !== undefined && known !== "damaged") return known;
  // There is no seal to hold it against: SQLite's own check has passed.
  const unsealed = { pageSize: pragma(database, "page_size"), commits: committed(database), pages: new Uint32Array() };
  database.row(CHECKPOINT);
  return updateSeal(database.path, unsealed);
}

function countCommit(database: SqliteDatabase): number {
  database.run("update seal set commits = commits + 1");
  return committed(database);
}

/** Transactions that were ever committed under seal. */
export function committed(database: SqliteDatabase): number {
  return database.row(COMMITS)?.commits ?? 0;
}

const COMMITS: Query<{ commits: number }> = { sql: "select commits from seal" };

function logSize(path: string): number {
  return statOf(`${path}-wal`)?.size ?? 0;
}

function guarded<T>(work: () => T, path: string): T {
  try {
    return work();
  } catch (error) {
    throw ledgerFailure(error, path);
  }
}
