import type { Clock } from "./clock.ts";

/** Whether a lease that somebody else keeps is still held, as far as its holder can know by itself. */
export interface LeaseWatch {
  /** The lease was renewed: that was asked for at this moment, or later. */
  readonly renewed: (asked: Moment) => void;
  readonly moment: () => Moment;
  readonly isHeld: () => boolean;
}

/** By two clocks: the one stands still while a machine sleeps, the other may be set. */
interface Moment {
  readonly monotonic: number;
  readonly now: number;
}

/** The rest is left for what is on its way. */
const USED_SHARE = 0.8;

export function createLeaseWatch(leaseMs: number, clock: Pick<Clock, "monotonic" | "now">): LeaseWatch {
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
      return Math.max(monotonic - asked.monotonic, now - asked.now) < leaseMs * USED_SHARE;
    },
  };
}
