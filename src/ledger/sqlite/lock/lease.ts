import { fstatSync, utimesSync } from "node:fs";
import { unlessMissing } from "../../../files/error-code.ts";
import { withFile } from "../../../files/open-file.ts";
import { statOf } from "../ledger-file.ts";

interface Lease {
  /** Returns false if another process has taken over the lock file, or if the lease could not be renewed in time. */
  readonly isHeld: () => boolean;
  readonly end: () => void;
}

/** Number of times that a lease is renewed within its duration. */
const RENEWALS = 6;

/** Repeatedly updates the modification time of the lock file, as a heartbeat for processes on other machines. */
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
      // The file system does not reply, so the lease expires. The lease is checked again before anything is sent.
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
 * Waits for the duration of a lease, or until the lock file changes. Returns true if the modification time of the lock
 * file has stayed the same. In this case, the holder is dead. Does not compare times of different hosts, because their
 * clocks may differ.
 */
export async function watchLease(lockPath: string, leaseMs: number): Promise<boolean> {
  const before = freshStampOf(lockPath);
  for (let check = 0; check < RENEWALS; check += 1) {
    await new Promise((resolve) => setTimeout(resolve, leaseMs / RENEWALS));
    if (freshStampOf(lockPath) !== before) return false;
  }
  return true;
}

/**
 * Returns a current stamp of the lock file. The stamp is also current on a network file system, because opening a file
 * queries the server. Only a process that does not hold the lock may call this, because closing the file releases the
 * lock.
 */
function freshStampOf(lockPath: string): string | undefined {
  const found = unlessMissing(() => withFile(lockPath, (file) => fstatSync(file)));
  return found && `${found.ino} ${found.mtimeMs}`;
}
