import type { MonotonicClock } from "../../time/clock.ts";

/**
 * Revokes ranges of workers without a heartbeat. Call this whenever the server has replied. Revokes ranges only if the
 * server has been reachable without interruption for the duration of a lease, because no worker can send a heartbeat
 * during an outage.
 */
export type Reap = () => Promise<void>;

interface ReaperOptions {
  /** Returns the duration of a worker's lease; undefined for a run that is not shared. */
  readonly leaseMs: () => Promise<number | undefined>;
  /** Revokes ranges whose lease has expired according to the server's clock. */
  readonly revokeRanges: (leaseMs: number) => Promise<void>;
  readonly clock: MonotonicClock;
}

export function createReaper({ leaseMs, revokeRanges, clock }: ReaperOptions): Reap {
  let contactSince: number | undefined;
  let lastContact = Number.NEGATIVE_INFINITY;
  return async () => {
    const lease = await leaseMs();
    if (lease === undefined) return;
    const now = clock.monotonic();
    if (contactSince === undefined || now - lastContact > lease / 2) contactSince = now;
    lastContact = now;
    if (now - contactSince >= lease) await revokeRanges(lease);
  };
}
