import { dirname } from "node:path";
import { checkLedger } from "./integrity/ledger-check.ts";
import { repairLedger } from "./integrity/ledger-repair.ts";
import type { Ledger } from "../ledger.ts";
import type { LedgerStore, StoreOptions } from "../ledger-store.ts";
import { checksumsPath } from "./integrity/page-checksums.ts";
import { type HeldLock, isLocked, lockLedger } from "./lock/ledger-lock.ts";
import { type PlaceWatch, watchPlace } from "./lock/ledger-place.ts";
import { requireOnePlace } from "./lock/lock-kind.ts";
import { refuseLiveWriter } from "./lock/writer.ts";
import { exportLedger } from "./ledger-export.ts";
import { guarded, noLedger, statOf } from "./ledger-file.ts";
import { openLedger, type SqliteLedgerOptions, removedLedger } from "./sqlite-ledger.ts";

/**
 * Returns the store of a ledger in one SQLite file. Only the process that holds the ledger's lock writes to the ledger.
 */
export function sqliteLedgerStore(path: string, { notice }: StoreOptions = {}): LedgerStore {
  const isBusy = (): boolean => isLocked(path);
  const read = (): Promise<Ledger> => openLedger({ path, create: false, readOnly: true, notice });
  return {
    name: path,
    folder: dirname(path),
    write: (command, { create }) => openLocked({ path, create, notice }, command),
    read,
    async activeRun() {
      if (!isBusy()) return undefined;
      const ledger = await read();
      try {
        return (await ledger.runs()).find(({ exitCode }) => exitCode === undefined)?.id;
      } finally {
        await ledger.close();
      }
    },
    async check() {
      requireFile(path);
      if (isBusy()) notice?.(`Another process is using the ledger ${path}, so its page checksums are not compared`);
      return checkLedger(path, isBusy);
    },
    async *export() {
      requireFile(path);
      yield* exportLedger(path, isBusy);
    },
    async repair(stamp, { mayRecreate = false, mayCreate = false } = {}) {
      if (!mayRecreate && !mayCreate) requireFile(path);
      const lock = await lockLedger(path, "ledger repair");
      try {
        refuseLiveWriter(path, lock.writer);
        const isMissing = (statOf(path)?.size ?? 0) === 0;
        return repairLedger(path, stamp, mayRecreate || (mayCreate && isMissing));
      } finally {
        await lock.release();
      }
    },
  };
}

/** Opens the ledger under its lock, and releases the lock when the ledger is closed. */
async function openLocked(options: SqliteLedgerOptions, command: string): Promise<Ledger> {
  const { path } = options;
  guarded(path, () => requireOnePlace(path));
  const lock = await lockLedger(path, command);
  try {
    return guardedLedger(await openLedger({ ...options, writer: lock.writer }), lock, watchPlace(path));
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * Returns a ledger that saves intents and outcomes only while the file is at its path, and intents only while the lock
 * is held. Closing the ledger releases the lock.
 */
export function guardedLedger(ledger: Ledger, lock: HeldLock, place: PlaceWatch): Ledger {
  const { inThread } = ledger;
  return {
    ...ledger,
    lease: place.lease,
    ...(inThread && { inThread: (begins) => guardedLedger(inThread(begins), lock, place) }),
    async saveIntents(run, intents, outcomes) {
      lock.requireHeld();
      place.requireInPlace();
      await ledger.saveIntents(run, intents, outcomes);
    },
    async saveOutcomes(run, outcomes) {
      place.requireInPlace();
      await ledger.saveOutcomes(run, outcomes);
    },
    async close() {
      place.end();
      try {
        await ledger.close();
      } finally {
        await lock.release();
      }
    },
  };
}

function requireFile(path: string): void {
  if (statOf(path) !== undefined) return;
  throw statOf(checksumsPath(path)) === undefined ? noLedger(path) : removedLedger(path);
}
