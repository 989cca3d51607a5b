import type { HeartbeatReply } from "../../ledger/runs/shared-run.ts";
import type { MonotonicClock } from "../../time/clock.ts";
import type { PaceShare } from "../../upload/upload-types.ts";

/** One worker's share of the combined limits of a run. */
export interface WorkerPace {
  readonly learn: (lastReply: HeartbeatReply) => void;
  readonly share: () => PaceShare;
  /** False if the run has more workers than concurrent requests, so that no request is left for this worker. */
  readonly isWanted: () => boolean;
}

export function createWorkerPace(clock: MonotonicClock): WorkerPace {
  let lastReply: HeartbeatReply | undefined;
  let learnedAt = 0;
  return {
    learn(reply) {
      lastReply = reply;
      learnedAt = clock.monotonic();
    },
    isWanted: () => lastReply !== undefined && partOf(lastReply.concurrency, lastReply) > 0,
    share() {
      const { rps, workers = 1, holdMs = 0, findings } = lastReply ?? {};
      const rate = findings?.rate;
      return {
        limit: lastReply === undefined ? 1 : Math.max(1, partOf(lastReply.concurrency, lastReply)),
        ...(rps !== undefined && { rps: rps / workers }),
        holdMs: Math.max(0, learnedAt + holdMs - clock.monotonic()),
        workers,
        ...(rate !== undefined && {
          found: { id: rate.id, perSecond: rate.perSecond / workers, at: learnedAt - rate.agoMs },
        }),
        suppliers: (findings?.suppliers ?? []).map(({ agoMs, ...one }) => ({ ...one, at: learnedAt - agoMs })),
      };
    },
  };
}

/**
 * Returns a worker's share of `whole`. The shares of all workers add up to `whole`. If `whole` cannot be divided
 * evenly, the workers that joined first each get one more.
 */
export function partOf(whole: number, { workers, position }: Pick<HeartbeatReply, "workers" | "position">): number {
  return Math.floor(whole / Math.max(1, workers)) + (position < whole % Math.max(1, workers) ? 1 : 0);
}
