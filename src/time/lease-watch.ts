import type { WallClock, MonotonicClock } from "./clock.ts";

/** Tracks whether a lease was renewed recently, so that its holder need not query the server before each action. */
export interface LeaseWatch {
  /** `requestedAt` must not be later than the request for the renewal. */
  readonly renewed: (requestedAt: Moment) => void;
  readonly moment: () => Moment;
  readonly isHeld: () => boolean;
}

/** A moment on two clocks: the monotonic clock stops while a machine sleeps, and the wall clock may be adjusted. */
interface Moment {
  readonly monotonic: number;
  readonly now: number;
}

/** The share of the lease during which the holder may act. The rest is reserved for requests in flight. */
const USED_SHARE = 0.8;
/**
 * Number of missed renewals after which the holder needs a reply from the server before it acts. The holder may have
 * been suspended, and an older copy of the database may have been restored in the meantime.
 */
const MISSED_RENEWALS = 5;

/** @param everyMs milliseconds between renewals */
export function createLeaseWatch(leaseMs: number, everyMs: number, clock: WallClock & MonotonicClock): LeaseWatch {
  const usedMs = Math.min(leaseMs * USED_SHARE, everyMs * MISSED_RENEWALS);
  const moment = (): Moment => ({ monotonic: clock.monotonic(), now: clock.now() });
  let requestedAt: Moment | undefined;
  return {
    renewed(at) {
      requestedAt = at;
    },
    moment,
    isHeld() {
      if (requestedAt === undefined) return false;
      const { monotonic, now } = moment();
      return Math.max(monotonic - requestedAt.monotonic, now - requestedAt.now) < usedMs;
    },
  };
}
