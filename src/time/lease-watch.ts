import type { WallClock, MonotonicClock } from "./clock.ts";

/** Whether a lease is held and was renewed recently, as far as its holder can tell without querying the server. */
export interface LeaseWatch {
  /** Records that the lease was renewed; `asked` must not be later than the request. */
  readonly renewed: (asked: Moment) => void;
  readonly moment: () => Moment;
  readonly isHeld: () => boolean;
}

/** Two clocks: the monotonic one stops while a machine sleeps, and the wall clock may be set. */
interface Moment {
  readonly monotonic: number;
  readonly now: number;
}

/** The rest of the lease is left for requests in flight. */
const USED_SHARE = 0.8;
/**
 * After this many missed renewals, the holder needs a reply from the server before it acts. It may have been suspended,
 * and an older copy of the database may be in use.
 */
const MISSED_RENEWALS = 5;

/** @param everyMs interval between renewals */
export function createLeaseWatch(leaseMs: number, everyMs: number, clock: WallClock & MonotonicClock): LeaseWatch {
  const usedMs = Math.min(leaseMs * USED_SHARE, everyMs * MISSED_RENEWALS);
  const moment = (): Moment => ({ monotonic: clock.monotonic(), now: clock.now() });
  let asked: Moment | undefined;
  return {
    renewed(at) {
      asked = at;
    },
    moment,
    isHeld() {
      if (asked === undefined) return false;
      const { monotonic, now } = moment();
      return Math.max(monotonic - asked.monotonic, now - asked.now) < usedMs;
    },
  };
}
