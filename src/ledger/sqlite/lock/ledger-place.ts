import { Failure } from "../../../model/failure.ts";
import type { HeldLease } from "../../runs/held-lease.ts";
import { statOf } from "../ledger-file.ts";

/**
 * Remembers the file of an open ledger. SQLite keeps writing to a file that was removed, renamed or replaced, and to a
 * log that was removed. Transactions in such a file are lost. The returned function returns a failure if the ledger or
 * its log is no longer at its path, otherwise undefined. It costs two file system calls.
 */
export function rememberPlace(path: string): () => Failure | undefined {
  const inode = statOf(path)?.ino;
  let log: number | undefined;
  let found: Failure | undefined;
  return () => {
    if (found !== undefined) return found;
    const logNow = statOf(`${path}-wal`)?.ino;
    log ??= logNow;
    if (statOf(path)?.ino !== inode) found = movedLedger(path, "file");
    else if (logNow !== log) found = movedLedger(`${path}-wal`, "log");
    return found;
  };
}

/** A check of the ledger's path that also runs twice per second, so that even a waiting run stops. */
export interface PlaceWatch {
  readonly lease: HeldLease;
  /** @throws Failure `ledger_lost` */
  readonly requireInPlace: () => void;
  readonly end: () => void;
}

const WATCH_INTERVAL_MS = 500;

/** Repeats the work until the returned function is called. */
export type Repeat = (work: () => void, everyMs: number) => () => void;

export function watchPlace(path: string, repeat: Repeat = byTimer): PlaceWatch {
  const placeFailure = rememberPlace(path);
  const lost = new AbortController();
  const check = (): void => {
    const failure = placeFailure();
    if (failure !== undefined && !lost.signal.aborted) lost.abort(failure);
  };
  const end = repeat(check, WATCH_INTERVAL_MS);
  return {
    lease: { lost: lost.signal },
    requireInPlace() {
      const failure = placeFailure();
      if (failure !== undefined) throw failure;
    },
    end,
  };
}

function byTimer(work: () => void, everyMs: number): () => void {
  const timer = setInterval(work, everyMs).unref();
  return () => clearInterval(timer);
}

function movedLedger(path: string, what: "file" | "log"): Failure {
  return new Failure(
    "ledger_lost",
    `the ledger's ${what} ${path} was removed, renamed or replaced while it was in use`,
    {
      hint:
        "nothing more was sent. Put the ledger back with its log (-wal) and its checksum file (-checksums), or restore " +
        "the latest copy. Then run `migrate ledger repair`, which reads the journal",
    },
  );
}
