import type { ConcurrencyOptions, UploadEvent } from "../upload-types.ts";
import type { PossibleLoad } from "./rate-limit.ts";

/** Initial limit on the requests in flight under `auto`. */
export const START_LIMIT = 4;
const DEFAULT_MAXIMUM = 16;
/**
 * More concurrency does not help if the mean reply time exceeds this factor times the best mean reply time, plus
 * `SLOWDOWN_MS`.
 */
const SLOWDOWN_FACTOR = 1.3;
const SLOWDOWN_MS = 5;
/** Number of windows to wait before retrying a limit that made replies slower. */
const WINDOWS_BEFORE_NEXT_TRY = 10;
/** Factor by which the best reply time rises with each window, because the speed of a platform changes over the day. */
const BEST_LATENCY_DECAY = 1.0002;

interface ConcurrencyLimit {
  readonly limit: () => number;
  readonly maximum: number;
  /** @param isCurrent whether the request was sent after the last change of the limit */
  readonly increase: (durationMs: number, inFlight: number, isCurrent: boolean) => void;
  /**
   * @param perSecond rate that the platform was found to accept; infinite if unknown
   * @param recoversQuickly whether each accepted request adds one to the limit, up to the previous limit
   */
  readonly halve: (reason: string, perSecond: number, recoversQuickly: boolean) => void;
  /** Restores the highest limit that was ever halved, unless the current limit is higher. */
  readonly restore: (reason: string) => void;
  /** Returns the load that the limit allows at the best reply time. */
  readonly possible: () => PossibleLoad;
}

/**
 * Creates a limit with additive increase and multiplicative decrease. It grows by at most one per window, and is halved
 * on push-back. After a refusal, it recovers by one with each accepted request.
 */
export function createConcurrencyLimit(
  { concurrency, ceiling = DEFAULT_MAXIMUM }: ConcurrencyOptions,
  onChange: (event: UploadEvent) => void,
): ConcurrencyLimit {
  const auto = concurrency === "auto";
  const maximum = auto ? ceiling : concurrency;
  const window = createLatencyWindow(auto);
  let limit = auto ? Math.min(START_LIMIT, maximum) : maximum;
  /** The limit before the latest increase. The limit returns to it if replies become slower. */
  let fastLimit = limit;
  let patience = 0;
  let before = 0;
  let recoverTo = 0;

  const change = (to: number, reason: string, perSecond = Number.POSITIVE_INFINITY): void => {
    const isNew = to !== limit || perSecond < Number.POSITIVE_INFINITY;
    window.restart();
    limit = to;
    if (!isNew) return;
    const rate = perSecond < Number.POSITIVE_INFINITY ? { perSecond: Math.round(perSecond * 10) / 10 } : {};
    onChange({ kind: "pace", limit, ...rate, reason });
  };

  const recover = (): void => {
    if (limit >= recoverTo) return;
    window.restart();
    limit += 1;
    if (limit < recoverTo) return;
    recoverTo = 0;
    onChange({ kind: "pace", limit, reason: "requests are accepted again" });
  };

  return {
    limit: () => limit,
    maximum,
    increase(durationMs, inFlight, isCurrent) {
      if (isCurrent) recover();
      if (inFlight < limit / 2 || !window.add(durationMs, limit)) return;
      const reason = auto ? "replies are still fast" : "back to the configured concurrency";
      patience -= 1;
      if (!window.helps()) {
        if (limit > fastLimit) patience = WINDOWS_BEFORE_NEXT_TRY;
        recoverTo = 0;
        change(Math.min(limit, fastLimit), "more concurrency only made replies slower");
        return;
      }
      if (limit >= maximum || patience > 0) return window.restart();
      fastLimit = limit;
      change(limit + 1, reason);
    },
    halve(reason, perSecond, recoversQuickly) {
      before = Math.max(before, limit);
      recoverTo = recoversQuickly ? Math.max(limit, recoverTo) : 0;
      change(Math.max(1, Math.floor(limit / 2)), reason, perSecond);
    },
    possible: () => ({ atATime: limit, perSecond: (Math.max(limit, recoverTo) * 1000) / window.best() }),
    restore(reason) {
      change(Math.max(before, limit), reason);
    },
  };
}

function createLatencyWindow(latencyMatters: boolean) {
  let replies = 0;
  let sum = 0;
  let best = Number.POSITIVE_INFINITY;
  return {
    /** Adds a reply. Returns true when the window contains `size` replies. */
    add(durationMs: number, size: number): boolean {
      replies += 1;
      sum += durationMs;
      return replies >= size;
    },
    helps(): boolean {
      const mean = sum / replies;
      best = Math.min(best * BEST_LATENCY_DECAY, mean);
      return !latencyMatters || mean <= best * SLOWDOWN_FACTOR + SLOWDOWN_MS;
    },
    /** Returns the best mean reply time of any window, in milliseconds. */
    best: () => Math.max(1, replies > 0 ? Math.min(best, sum / replies) : best),
    restart(): void {
      replies = 0;
      sum = 0;
    },
  };
}
