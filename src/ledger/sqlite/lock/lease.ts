import { closeSync, fstatSync, openSync, utimesSync } from "node:fs";
import { unlessMissing } from "../../../files/error-code.ts";
import { statOf } from "../ledger-file.ts";

interface Lease {
  /** False when another process has taken the lock file over. */
  readonly isHeld: () => boolean;
  readonly end: () => void;
}

/** A lease is renewed so many times before it runs out. */
const RENEWALS = 6;

/** Sets the lock file's time again and again, as a sign of life for processes that no kernel tells of each other. */
export function startLease(lockPath: string, leaseMs: number): Lease {
  let isLost = false;
  let renewedAt = Number.NEGATIVE_INFINITY;
  let last: string | undefined;

  function renew(): void {
    try {
      if (last !== undefined && stampOf(lockPath) !== last) isLost = true;
      if (isLost) return;
      const now = new Date();
      utimesSync(lockPath, now, now);
      last = stampOf(lockPath);
      renewedAt = performance.now();
    } catch {
      // A file system that does not answer: the lease runs out, and is looked at again before anything is sent.
    }
  }

  renew();
  const timer = setInterval(renew, leaseMs / RENEWALS);
  timer.unref();
  return {
    isHeld() {
      if (performance.now() - renewedAt > leaseMs / 2) renew();
      return !isLost && performance.now() - renewedAt < leaseMs / 2;
    },
    end: () => clearInterval(timer),
  };
}

function stampOf(lockPath: string): string | undefined {
  const found = statOf(lockPath);
  return found && `${found.ino} ${found.mtimeMs}`;
}

/**
 * Whether the lock file's time stands still for as long as a lease lasts: its holder is dead. No clocks are compared,
 * which two hosts may have set differently.
 */
export async function watchLease(lockPath: string, leaseMs: number): Promise<boolean> {
  const before = freshStampOf(lockPath);
  for (let look = 0; look < RENEWALS; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, leaseMs / RENEWALS));
    if (freshStampOf(lockPath) !== before) return false;
  }
  return true;
}

/** Opening a file makes a network file system ask its server. Only for a process that does not hold the lock. */
function freshStampOf(lockPath: string): string | undefined {
  const file = unlessMissing(() => openSync(lockPath, "r"));
  if (file === undefined) return undefined;
  try {
    const { ino, mtimeMs } = fstatSync(file);
    return `${ino} ${mtimeMs}`;
  } finally {
    closeSync(file);
  }
}
