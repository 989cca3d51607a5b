import type { Clock } from "../../time/clock.ts";

/** Takes back what is held by workers that are not heard of. */
export interface Reaper {
  /** The server was reached just now. Takes back only after a whole lease without a gap: an outage silences everybody. */
  readonly look: () => Promise<void>;
}

export interface ReaperOptions {
  /** Undefined for a run that nobody shares. */
  readonly leaseMs: () => Promise<number | undefined>;
  /** Takes back what is held beyond its lease, by the server's clock. */
  readonly takeBack: (leaseMs: number) => Promise<void>;
  readonly clock: Pick<Clock, "monotonic">;
}

export function createReaper({ leaseMs, takeBack, clock }: ReaperOptions): Reaper {
  let contactSince: number | undefined;
  let lastContact = Number.NEGATIVE_INFINITY;
  return {
    async look() {
      const lease = await leaseMs();
      if (lease === undefined) return;
      const now = clock.monotonic();
      if (contactSince === undefined || now - lastContact > lease / 2) contactSince = now;
      lastContact = now;
      if (now - contactSince >= lease) await takeBack(lease);
    },
  };
}
