import { rmSync, statSync, writeFileSync } from "node:fs";
import { Failure } from "../model/failure.ts";
import { DatabaseSync } from "./sqlite.ts";
import { remedyOf } from "./write-error.ts";

/** Maximum time to wait for another program, in milliseconds. */
const PATIENCE_MS = 10_000;
const RETRY_MS = 20;

/**
 * Runs `work`, which must be short, while holding an exclusive lock. The lock excludes only other callers of this
 * function, in this process and in others. `<file>.lock` is a SQLite file with an open write transaction, so the kernel
 * releases the lock when the process ends, however that happens.
 * @throws Failure `storage` if another program holds the lock for more than `patienceMs`, or if the lock file cannot be
 * written
 */
export function withFileLock<T>(file: string, work: () => Promise<T>, patienceMs: number = PATIENCE_MS): Promise<T> {
  const lock = `${file}.lock`;
  const result = (waiting.get(lock) ?? Promise.resolve()).then(async () => {
    const held = await take(lock, patienceMs);
    try {
      return await work();
    } finally {
      release(lock, held);
    }
  });
  const settled = result.then(
    () => undefined,
    () => undefined,
  );
  waiting.set(lock, settled);
  void settled.then(() => waiting.get(lock) === settled && waiting.delete(lock));
  return result;
}

/**
 * Takes the lock and holds it until the returned function is called. Returns undefined if this process or another
 * program already holds it.
 * @throws Failure `storage` if the lock file cannot be written
 */
export function holdFileLock(file: string): (() => void) | undefined {
  const lock = `${file}.lock`;
  const held = waiting.has(lock) ? undefined : tryTake(lock);
  if (held === undefined) return undefined;
  let free: (() => void) | undefined;
  waiting.set(lock, new Promise((resolve) => (free = resolve)));
  return () => {
    release(lock, held);
    waiting.delete(lock);
    free?.();
  };
}

/**
 * The latest task of this process for each lock file. Only one task may have the lock file open at a time, because
 * closing the file would release the kernel's lock (POSIX, `fcntl`).
 */
const waiting = new Map<string, Promise<void>>();

interface HeldLock {
  readonly database: InstanceType<typeof DatabaseSync>;
  readonly inode: number;
}

async function take(lock: string, patienceMs: number): Promise<HeldLock> {
  for (const deadline = performance.now() + patienceMs; ;) {
    const held = tryTake(lock);
    if (held !== undefined) return held;
    if (performance.now() > deadline)
      throw new Failure("storage", `another program is changing ${lock.replace(/\.lock$/, "")}`, {
        hint: "wait until it has finished, and try again",
      });
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}

/** Tries to take the lock. Returns undefined if another program holds it, or has just removed the lock file. */
function tryTake(lock: string): HeldLock | undefined {
  const database = openLockFile(lock);
  const inode = inodeOf(lock);
  try {
    database.exec("pragma busy_timeout=0; begin immediate");
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw cannotLock(lock, error);
  }
  if (inode !== undefined && inodeOf(lock) === inode) return { database, inode };
  end(database);
  return undefined;
}

function openLockFile(lock: string): HeldLock["database"] {
  try {
    writeFileSync(lock, "", { flag: "a", mode: 0o600 });
    return new DatabaseSync(lock);
  } catch (error) {
    throw cannotLock(lock, error);
  }
}

function cannotLock(lock: string, cause: unknown): Failure {
  return new Failure("storage", `${lock} cannot be written`, { hint: remedyOf(cause, lock), cause });
}

const SQLITE_BUSY = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && Number(Reflect.get(error, "errcode")) % 256 === SQLITE_BUSY;
}

/** Removes the file while the lock is held, so that waiting programs detect the removal. */
function release(lock: string, { database, inode }: HeldLock): void {
  if (inodeOf(lock) === inode) rmSync(lock, { force: true });
  end(database);
}

/**
 * Ends the transaction before it closes the database, because a database may stay open until its statements are
 * garbage-collected.
 */
function end(database: HeldLock["database"]): void {
  database.exec("rollback");
  database.close();
}

function inodeOf(lock: string): number | undefined {
  return statSync(lock, { throwIfNoEntry: false })?.ino;
}
