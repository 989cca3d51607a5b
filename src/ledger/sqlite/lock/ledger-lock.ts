import { rmSync } from "node:fs";
import { atExit } from "../../../files/at-exit.ts";
import { Failure } from "../../../model/failure.ts";
import { type Holder, isDead, type LockKind, nameOf, thisProcess } from "../../lock-holder.ts";
import { ledgerFailure, preparePrivateFile, statOf, unlessFailing } from "../ledger-file.ts";
import { openDatabase, type SqliteDatabase } from "../sqlite-database.ts";
import { startLease, watchLease } from "./lease.ts";
import { lockKindOf } from "./lock-kind.ts";
import { isHeldBySelf, noteHeld, requireNoOtherCopy } from "./other-copies.ts";
import { writerText } from "./writer.ts";
import { statement } from "../../tables/tables.ts";

export interface HeldLock {
  /** @throws Failure `ledger_in_use` if the lease was lost because another process considered this process dead */
  readonly requireHeld: () => void;
  readonly release: () => Promise<void>;
}

export interface Lock extends HeldLock {
  readonly kind: LockKind;
  /** The writer to record in the ledger. */
  readonly writer: string;
}

export interface LockOptions {
  /** By default, the kind that the file system supports. */
  readonly kind?: LockKind;
  /** Time without a renewal after which a lease expires, in milliseconds. */
  readonly leaseMs?: number;
}

const LEASE_MS = 30_000;

/**
 * Makes this process the only writer of the ledger at `path`, until it calls `release` or ends.
 *
 * `<ledger>.lock` is a SQLite file with an open write transaction. The kernel releases the lock when the process ends,
 * for any reason and on any machine. The only row of the file names the holder. If the locks of the file system are not
 * reliable, the row is also a lease. Its holder repeatedly updates the modification time of the file. Another process
 * takes the lock only if this time has not changed for `leaseMs`.
 *
 * No other code in this process may open the lock file, because closing it would release the kernel's lock (POSIX,
 * `fcntl`).
 *
 * @throws Failure `ledger_in_use` if another process holds the lock; `storage`
 */
export async function lockLedger(path: string, command: string, options: LockOptions = {}): Promise<Lock> {
  requireNoOtherCopy(path);
  const { kind = lockKindOf(path), leaseMs = LEASE_MS } = options;
  const lockPath = `${path}.lock`;
  const holder = thisProcess(command, kind);
  let watched: string | undefined;
  try {
    for (let tries = 0; tries < TRIES; tries += 1) {
      const taken = take(path, holder, watched);
      if (taken === "changed") continue;
      if ("database" in taken) return held(taken, { holder, leaseMs, path });
      if (!(await watchLease(lockPath, leaseMs))) throw inUse(path, taken.holder);
      watched = taken.holder.nonce;
    }
  } catch (error) {
    throw ledgerFailure(error, path);
  }
  throw inUse(path, undefined);
}

/** Maximum number of attempts. Another process may take or release the lock during an attempt, but not this often. */
const TRIES = 20;
/** Milliseconds to wait for the lock. A process that acquires the lock only for a check releases the lock sooner. */
const BUSY_TIMEOUT = 100;

interface TakenLock {
  readonly database: SqliteDatabase;
  readonly file: number;
}

function held(
  { database, file }: TakenLock,
  { holder, leaseMs, path }: { readonly holder: Holder; readonly leaseMs: number; readonly path: string },
): Lock {
  const { kind } = holder;
  const lockPath = `${path}.lock`;
  const lease = startLease(lockPath, leaseMs);
  const forgetHeld = noteHeld(path, holder.nonce);
  const release = (): void => {
    lease.end();
    forgetHeld();
    // Removes the file while the lock is held, so that waiting processes detect the removal.
    if (statOf(lockPath)?.ino === file) rmSync(lockPath, { force: true });
    releaseTransaction(database);
  };
  const forget = atExit(release);
  return {
    kind,
    writer: writerText(holder, file),
    requireHeld: () => {
      if (kind === "lease" && !lease.isHeld()) throw inUse(path, undefined);
    },
    release: async () => {
      forget();
      release();
    },
  };
}

/** Whether a process is, or may be, working on the ledger at `path`. */
export function isLocked(path: string): boolean {
  const lockPath = `${path}.lock`;
  if (statOf(lockPath) === undefined) return false;
  requireNoOtherCopy(path);
  // A probe would block this thread, and thereby its own run, until the probe times out.
  if (isHeldBySelf(path)) return true;
  const probe = openProbe(lockPath);
  if (probe === undefined) return false;
  try {
    probe.execute("begin immediate; rollback");
    const holder = readHolder(probe);
    return holder !== undefined && (holder.kind === "lease" || lockKindOf(path) === "lease") && !isDead(holder);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return true;
  } finally {
    probe.close();
  }
}

/** Opens the lock file to check it; undefined if the file was removed in the meantime. */
function openProbe(lockPath: string): SqliteDatabase | undefined {
  try {
    return openDatabase(lockPath, { timeout: BUSY_TIMEOUT, mustExist: true });
  } catch (error) {
    if (statOf(lockPath) === undefined) return undefined;
    throw error;
  }
}

/**
 * Tries once to take the lock. Returns the lock, `changed` if the file was replaced in the meantime, or the holder
 * whose lease must be watched.
 * @param watched the nonce of the holder whose lease is known to have expired
 */
function take(
  path: string,
  holder: Holder,
  watched: string | undefined,
): TakenLock | "changed" | { readonly holder: Holder } {
  const lockPath = `${path}.lock`;
  preparePrivateFile(lockPath);
  const file = statOf(lockPath)?.ino;
  const database = openDatabase(lockPath, { timeout: BUSY_TIMEOUT });
  try {
    begin(database, path);
    if (file === undefined || statOf(lockPath)?.ino !== file) return closed(database, "changed");
    const before = readHolder(database);
    const mayLive = before !== undefined && before.nonce !== watched && needsWatch(before, holder);
    if (mayLive) return closed(database, { holder: before });
    writeHolder(database, holder);
    reopenTransaction(database, path, holder);
    return { database, file };
  } catch (error) {
    releaseTransaction(database);
    throw error;
  }
}

function closed<T>(database: SqliteDatabase, result: T): T {
  releaseTransaction(database);
  return result;
}

/**
 * Ends the transaction before closing the database, because a database stays open until its statements are
 * garbage-collected.
 */
function releaseTransaction(database: SqliteDatabase): void {
  // Fails if there was no transaction.
  unlessFailing(() => database.execute("rollback"));
  database.close();
}

/**
 * Whether to watch the lock file before this process takes the lock. The kernel reports that no process holds the lock,
 * but this report is not reliable if the previous holder or this process uses a lease. A previous holder that is known
 * to be dead is not watched.
 */
function needsWatch(before: Holder, holder: Holder): boolean {
  return (before.kind === "lease" || holder.kind === "lease") && !isDead(before);
}

function begin(database: SqliteDatabase, path: string): void {
  try {
    database.execute("begin immediate");
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.code === "ledger_in_use") throw inUse(path, readHolder(database));
    throw error.code === "ledger_damaged" ? unreadableLock(path) : error;
  }
}

/**
 * Acquires the lock again after the commit that shows the holder to other processes, because this commit briefly
 * releases the lock. If another process acquires the lock in between and records itself as the holder, this process
 * gives up. The last process to record itself gets the lock.
 */
function reopenTransaction(database: SqliteDatabase, path: string, holder: Holder): void {
  for (const deadline = performance.now() + TAKEOVER_TIMEOUT_MS; ;) {
    try {
      database.execute("begin immediate");
      break;
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "ledger_in_use") throw error;
      const other = readHolder(database);
      if (other?.nonce !== holder.nonce || performance.now() > deadline) throw inUse(path, other);
    }
  }
  const now = readHolder(database);
  if (now?.nonce !== holder.nonce) throw inUse(path, now);
}

const TAKEOVER_TIMEOUT_MS = 5000;

const HOLDER_COLUMNS = ["host", "pidNamespace", "pid", "processStart", "command", "since", "nonce", "kind"] as const;

function writeHolder(database: SqliteDatabase, holder: Holder): void {
  database.execute(`create table if not exists holder (${HOLDER_COLUMNS.join(", ")}); delete from holder`);
  const places = HOLDER_COLUMNS.map(() => "?").join(", ");
  database.run(`insert into holder values (${places})`, ...HOLDER_COLUMNS.map((name) => holder[name]));
  database.execute("commit");
}

/** Returns undefined for a new file, and while the holder is being written. */
function readHolder(database: SqliteDatabase): Holder | undefined {
  try {
    const isNew = database.row({ sql: "select 1 from sqlite_schema" }) === undefined;
    return isNew ? undefined : database.row(statement<Holder>("select * from holder"));
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

function inUse(path: string, holder: Holder | undefined): Failure {
  return new Failure("ledger_in_use", `the ledger ${path} is in use by ${nameOf(holder)}`, {
    hint: `wait until it has ended, then run the same command again; ${HINTS[holder?.kind ?? "kernel"]}`,
  });
}

const HINTS = {
  kernel: "if it dies, no file needs to be removed: the kernel releases its lock",
  lease: "if it dies, no file needs to be removed: the file system is not local, and the lease expires after 30 s",
} as const;

function unreadableLock(path: string): Failure {
  return new Failure("ledger_in_use", `the ledger ${path} may be in use: its lock file cannot be read`, {
    hint: `if you are sure that no run uses the ledger, remove ${path}.lock, then run the same command again`,
  });
}
