import { corruptLedger, guarded, statOf, unlessFailing } from "../ledger-file.ts";
import { rememberPlace } from "../lock/ledger-place.ts";
import { isWriter, lostToOtherWriter, releaseWriter, becomeWriter, writerOf } from "../lock/writer.ts";
import { BUSY_TIMEOUT, pragma, type SqliteDatabase } from "../sqlite-database.ts";
import { checkPages } from "./page-check.ts";
import {
  readChecksums,
  type PageChecksums,
  checksumsPath,
  updateChecksums,
  writeCommitCount,
  writeHeaderOnly,
} from "./page-checksums.ts";
import { statement } from "../../tables/tables.ts";

export interface ChecksummedDatabase extends SqliteDatabase {
  /**
   * Closes the database. Returns false if the log could not be written into the file. Leaves the files unchanged, and
   * returns true, if the ledger is corrupt, is no longer at its path, or has another writer.
   */
  readonly close: () => boolean;
  /** Stops checking the pages. Call this when another thread starts writing and checking the pages. */
  readonly stopCheck: () => void;
}

interface ChecksumOptions {
  /**
   * False if the ledger is large and its pages were not checked when it was opened. The pages are then checked while
   * the ledger is in use. If a page is corrupt, every further transaction is refused.
   */
  readonly isChecked?: boolean;
  /** Whether this process wrote the log with these checksums, so that the log can be written into the file later. */
  readonly isLogKnown?: boolean;
  /**
   * The writer to record in the ledger (`becomeWriter`). Without it, the caller must ensure that there is no other
   * writer.
   */
  readonly writer?: string | undefined;
}

/**
 * Adds a checksum file to a database, with the checksum of every page and the number of committed transactions.
 * Corruption is detected when the ledger is next opened (`requireIntact`) or, in a large ledger, while it is in use.
 * Only this code writes the log into the database file, because the checksums must change at the same time.
 *
 * The cost per transaction is an update of one small row and an unsynced write of 28 bytes.
 */
export function withChecksums(
  database: SqliteDatabase,
  { isChecked = true, isLogKnown = false, writer: holder }: ChecksumOptions = {},
): ChecksummedDatabase {
  const { path } = database;
  const checksums = maintainChecksums(database);
  const check = isChecked ? undefined : checkPages(path, checksums.current);
  const placeFailure = rememberPlace(path);
  const writer = holder === undefined ? undefined : writerOf(holder, path);
  let isTaken = false;
  const requireUnbroken = (): void => {
    const moved = placeFailure();
    if (moved !== undefined) throw moved;
    const broken = check?.broken();
    if (broken !== undefined) throw corruptLedger(path, broken);
  };
  const release = (): void => {
    if (writer === undefined || !isWriter(database, writer)) return;
    const commits = database.transaction(() => {
      const count = countCommit(database, writer);
      releaseWriter(database);
      return count;
    });
    checksums.noteCommits(commits);
  };
  if (checksums.hasWritten() && !isLogKnown) checksums.checkpoint();

  return {
    ...database,
    stopCheck: () => check?.stop(),
    run(sql, ...values) {
      checksums.noteWrite();
      return database.run(sql, ...values);
    },
    transaction(work) {
      requireUnbroken();
      const [result, commits] = database.transaction(() => {
        if (writer !== undefined && !isTaken) becomeWriter(database, writer);
        return [work(), countCommit(database, writer)] as const;
      });
      isTaken = true;
      checksums.noteCommits(commits);
      if (logSize(path) > LARGEST_LOG_BYTES) unlessFailing(checksums.checkpoint);
      return result;
    },
    close() {
      check?.stop();
      const isLost = isTaken && writer !== undefined && hasOtherWriter(database, writer);
      if (!isLost && check?.broken() === undefined && placeFailure() === undefined) return checksums.close(release);
      // The checksum file of a corrupt ledger proves the corruption, and the checksum file of another ledger or writer
      // must not be changed.
      database.abandon();
      return true;
    },
  };
}

/** Whether another process has become the writer. If so, the checksum file describes the writes of that process. */
function hasOtherWriter(database: SqliteDatabase, writer: string): boolean {
  return unlessFailing(() => isWriter(database, writer)) === false;
}

/**
 * The checksum file of an open ledger. The file may lag behind the database, and a failure of the database recurs when
 * the database is next used, so some failures are ignored.
 */
interface MaintainedChecksums {
  readonly current: () => PageChecksums;
  /** Whether the log contains changes that are not in the ledger's file. */
  readonly hasWritten: () => boolean;
  readonly noteWrite: () => void;
  readonly noteCommits: (commits: number) => void;
  /**
   * Writes the log into the file. Returns false if other processes are reading, or if the disk rejects the write. The
   * log then keeps its contents.
   */
  readonly checkpoint: () => boolean;
  /**
   * Closes the database.
   * @param release called first; its failure is ignored
   * @returns false if the log was not written
   */
  readonly close: (release: () => void) => boolean;
}

function maintainChecksums(database: SqliteDatabase): MaintainedChecksums {
  const { path } = database;
  let checksums = guarded(path, () => computeChecksums(database));
  let hasWritten = logSize(path) > 0;
  const checkpoint = (): boolean => {
    const done = database.row(CHECKPOINT);
    if (done === undefined || done.busy !== 0 || done.log !== done.checkpointed) return false;
    checksums = guarded(path, () => updateChecksums(path, checksums));
    truncateLog(database);
    hasWritten = false;
    return true;
  };
  return {
    current: () => checksums,
    hasWritten: () => hasWritten,
    noteWrite: () => {
      hasWritten = true;
    },
    noteCommits: (commits) => {
      hasWritten = true;
      checksums = { ...checksums, commits };
      // The transaction is committed, so a failure here must not look like a failure of the transaction.
      unlessFailing(() => writeCommitCount(checksumsPath(path), checksums));
    },
    checkpoint,
    close(release) {
      let isClean = false;
      try {
        unlessFailing(release);
        isClean = !hasWritten || checkpoint();
      } finally {
        if (isClean) database.close();
        else {
          unlessFailing(() => writeHeaderOnly(checksumsPath(path), checksums));
          database.abandon();
        }
      }
      return isClean;
    },
  };
}

/** Rewriting a page in the log is cheaper than writing it into the file, but a long log slows down readers. */
const LARGEST_LOG_BYTES = 32 * 1024 * 1024;

interface Checkpointed {
  readonly busy: number;
  readonly log: number;
  readonly checkpointed: number;
}
/** Writes the log into the file. Passive mode does not wait for readers, so that readers do not delay a push. */
const CHECKPOINT = statement<Checkpointed>("pragma wal_checkpoint(passive)");
const TRUNCATE = statement<Checkpointed>("pragma wal_checkpoint(truncate)");

/**
 * Empties the log. If another connection is reading, the log keeps its size, and SQLite later overwrites it from its
 * beginning.
 */
function truncateLog(database: SqliteDatabase): void {
  database.execute("pragma busy_timeout = 0");
  try {
    database.row(TRUNCATE);
  } finally {
    database.execute(`pragma busy_timeout = ${BUSY_TIMEOUT}`);
  }
}

function computeChecksums(database: SqliteDatabase): PageChecksums {
  const known = readChecksums(checksumsPath(database.path));
  if (known !== undefined && known !== "corrupt") return known;
  // There are no checksums to compare with, but SQLite's own check has passed.
  const empty = { pageSize: pragma(database, "page_size"), commits: committed(database), pages: new Uint32Array() };
  database.row(CHECKPOINT);
  return updateChecksums(database.path, empty);
}

function countCommit(database: SqliteDatabase, writer: string | undefined): number {
  const values = writer === undefined ? [] : [writer];
  const sql = `update ledger_state set commits = commits + 1${writer === undefined ? "" : " where writer = ?"}`;
  if (database.run(sql, ...values) === 0) throw lostToOtherWriter(database);
  return committed(database);
}

/** Returns the total number of transactions that were committed with checksums. */
export function committed(database: SqliteDatabase): number {
  return database.row(COMMITS)?.commits ?? 0;
}

const COMMITS = statement<{ commits: number }>("select commits from ledger_state");

function logSize(path: string): number {
  return statOf(`${path}-wal`)?.size ?? 0;
}
