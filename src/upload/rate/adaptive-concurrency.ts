import type { Clock, Random } from "../../time/clock.ts";
import { fullJitter } from "../../transport/retrying-http.ts";
import type { PushBack } from "../../platform/reply/reply-class.ts";
import { createConcurrencyLimit } from "./concurrency-limit.ts";
import { createLearnedRate, type LearnedRate, type RefusalCause } from "./rate-limit.ts";
import { type PaceOptions, type PaceShare, type UploadEvent, SAME_FINDING_MS } from "../upload-types.ts";

/**
 * Controls how many requests may be in flight, and when the next request may be sent. Concurrency grows in steps of one
 * until it reaches its maximum or, under `auto`, makes replies slower. It is halved on push-back (429, 503, timeouts).
 * The rate follows the rate that the platform was found to accept. A `Retry-After` or a pause applies to all
 * requests. Refusals that are known to be independent of the rate have no effect.
 */
export interface RateControl {
  /** Returns the current maximum number of requests in flight. */
  readonly limit: () => number;
  /** Highest possible value of `limit`. */
  readonly maximum: number;
  /**
   * Returns undefined if a request may be sent now, otherwise a promise that resolves when the caller should try again.
   */
  readonly waitForTurn: (signal: AbortSignal) => Promise<void> | undefined;
  /**
   * Call this for a request that `waitForTurn` has already allowed. Waits only for a pause that has begun since then.
   */
  readonly waitForPause: (signal: AbortSignal) => Promise<void> | undefined;
  /** Returns the epoch to store with a request when it is sent. */
  readonly epoch: () => Epoch;
  /** Call this for a reply without push-back. `inFlight`: number of requests in flight, including this one. */
  readonly answered: (durationMs: number, inFlight: number, epoch?: Epoch) => void;
  readonly pushedBack: (epoch: Epoch, pushBack: PushBack) => void;
  /** Call this when the request could not be sent. */
  readonly unreachable: (epoch: Epoch, reason: string) => void;
  /** Call this when the platform has replied. */
  readonly reached: () => void;
  /** Whether refusals were found to be independent of the rate. If so, only the refused record waits. */
  readonly isNoiseKnown: () => boolean;
}

/**
 * Number of rate changes before a request was sent. If several requests with the same epoch are refused, they count
 * once.
 */
export type Epoch = number;

interface RateControlDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly onChange: (event: UploadEvent) => void;
}

/** Number of consecutive unsent requests after which single requests probe whether the platform is reachable again. */
const UNSENT_BEFORE_PROBE = 5;
/**
 * Number of consecutive refusals for which `Retry-After` alone determines the pause. After that, the pauses grow, which
 * prevents a retry storm if the platform sends `Retry-After: 0`.
 */
const RETRY_AFTER_TRUSTED_TIMES = 3;
/** Longest pause that the platform did not request. After an outage, the push continues within this time. */
const MAX_PAUSE_MS = 8_000;
/** The pace share of a process that sends the run alone. */
const WHOLE_PACE: PaceShare = { limit: Number.POSITIVE_INFINITY, holdMs: 0 };
/** How far ahead of the even spacing (`rps`) a request may be sent, so that coarse timers do not reduce throughput. */
const BURST_MS = 50;

export function createRateControl(options: PaceOptions, dependencies: RateControlDependencies): RateControl {
  const { clock, onChange } = dependencies;
  const { rps, share = () => WHOLE_PACE } = options;
  const concurrency = createConcurrencyLimit(options, onChange);
  const pauses = createPauses(dependencies);
  const learned = createLearnedRate();
  const shared = createSharedRate(learned);
  const claimTurn = createRequestSpacing(() => shared.applyShare(share()).rps ?? rps, learned);
  let pushBacks = 0;
  let pushedBackInARow = 0;
  let isAfterAccepted = false;
  const outage = createOutage();

  const restMs = (): number => Math.max(pauses.restMs(), share().holdMs);

  return {
    limit: () => (outage.isProbing() ? 1 : Math.min(concurrency.limit(), share().limit)),
    maximum: concurrency.maximum,
    waitForTurn: (signal) => sleep(clock, restMs() || claimTurn(clock.monotonic()), signal),
    waitForPause: (signal) => sleep(clock, restMs(), signal),
    epoch: () => pushBacks,
    answered(durationMs, inFlight, epoch = pushBacks) {
      pushedBackInARow = 0;
      isAfterAccepted = true;
      const isCurrent = epoch >= pushBacks;
      learned.acceptedRequest(clock.monotonic(), isCurrent);
      concurrency.increase(durationMs, inFlight, isCurrent);
    },
    pushedBack(epoch, { reason, afterMs }) {
      const isCurrent = epoch >= pushBacks;
      const isFirst = isAfterAccepted && learned.perSecond(clock.monotonic()) === Number.POSITIVE_INFINITY;
      const refusal = { isCurrent, holdMs: afterMs ?? 0, ...concurrency.possible() };
      const cause = reason === "timeout" ? "cap" : learned.refused(clock.monotonic(), refusal);
      if (!isForOneRecord(cause, learned)) pauses.begin(afterMs ?? 0, reason);
      if (cause === "noise") return;
      if (isCurrent) pushBacks += 1;
      if (cause === "found-noise") return concurrency.restore("refusals do not depend on the rate");
      if (!isCurrent || cause === "unclear") return;
      pushedBackInARow += 1;
      isAfterAccepted = false;
      const round = ownPauseRound(reason, { hasRetryAfter: afterMs !== undefined, isFirst, inARow: pushedBackInARow });
      if (round > 0) pauses.beginOwn(round, reason);
      concurrency.halve(reason, shared.found(clock.monotonic()), reason !== "timeout");
    },
    unreachable(epoch, reason) {
      if (outage.unsent()) onChange({ kind: "pace", limit: 1, reason });
      if (epoch < pushBacks) return;
      pushBacks += 1;
      pauses.beginOwn(outage.nextRound(), reason);
    },
    reached() {
      const limit = concurrency.limit();
      if (outage.end()) onChange({ kind: "pace", limit, reason: "the platform can be reached again" });
    },
    isNoiseKnown: learned.noise.isKnown,
  };
}

function isForOneRecord(cause: RefusalCause, { noise }: LearnedRate): boolean {
  return (cause === "noise" || cause === "found-noise") && noise.isPlausible();
}

function createOutage() {
  let unsentInARow = 0;
  let rounds = 0;
  const isProbing = (): boolean => unsentInARow >= UNSENT_BEFORE_PROBE;
  return {
    /** Whether requests are sent one at a time, to find out whether the platform is reachable again. */
    isProbing,
    /** Call this when another request could not be sent. Returns true when probing begins. */
    unsent(): boolean {
      unsentInARow += 1;
      return unsentInARow === UNSENT_BEFORE_PROBE;
    },
    /** Starts the next round of pauses. Returns the number of rounds since the platform was last reached. */
    nextRound(): number {
      rounds += 1;
      return rounds;
    },
    /** Call this when the platform has been reached. Returns true if this ends probing. */
    end(): boolean {
      const wasProbing = isProbing();
      unsentInARow = 0;
      rounds = 0;
      return wasProbing;
    },
  };
}

/** Exchanges the learned rate with the other workers of the run. */
function createSharedRate(learned: LearnedRate) {
  let foundAt = Number.NEGATIVE_INFINITY;
  let appliedId: string | undefined;
  let before = 1;
  return {
    applyShare(share: PaceShare): PaceShare {
      const { workers = 1, found } = share;
      if (workers !== before) learned.scale(before / workers);
      before = workers;
      if (found === undefined || found.id === appliedId) return share;
      appliedId = found.id;
      if (found.at <= foundAt + SAME_FINDING_MS) return share;
      foundAt = found.at;
      learned.adopt(found.perSecond, found.at);
      return share;
    },
    /**
     * Call this when a request of this worker was refused. Returns the allowed requests per second; infinite if no cap
     * is known.
     */
    found(now: number): number {
      const perSecond = learned.perSecond(now);
      if (perSecond < Number.POSITIVE_INFINITY) foundAt = now;
      return perSecond;
    },
  };
}

function createPauses({ clock, random, onChange }: RateControlDependencies) {
  let pausedUntil = 0;
  const begin = (forMs: number, reason: string): void => {
    const until = clock.monotonic() + forMs;
    if (forMs <= 0 || until <= pausedUntil) return;
    pausedUntil = until;
    onChange({ kind: "pause", forMs, reason });
  };
  return {
    /** Returns the remaining milliseconds of the longest pause. */
    restMs: () => Math.max(0, pausedUntil - clock.monotonic()),
    begin,
    /** Begins a pause that the platform did not request. `round`: number of consecutive pauses, including this one. */
    beginOwn: (round: number, reason: string) => begin(Math.min(MAX_PAUSE_MS, fullJitter(round, random)), reason),
  };
}

function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> | undefined {
  return ms > 0 ? clock.sleep(ms, signal) : undefined;
}

interface PushBackInARow {
  /** Whether the platform specified a pause. */
  readonly hasRetryAfter: boolean;
  /** Whether earlier requests succeeded and no cap was known. */
  readonly isFirst: boolean;
  /** Number of consecutive push-backs, including this one. */
  readonly inARow: number;
}

/**
 * Returns the round of a pause that the platform did not request, or 0 if no such pause is needed. A timeout needs no
 * pause, because it has already slowed the push. The first refusal needs no pause, because halving the concurrency is
 * sufficient. Refusals with `Retry-After` need no pause until there are more than `RETRY_AFTER_TRUSTED_TIMES` in a row.
 */
function ownPauseRound(reason: string, { hasRetryAfter, isFirst, inARow }: PushBackInARow): number {
  if (reason === "timeout") return 0;
  if (hasRetryAfter) return inARow > RETRY_AFTER_TRUSTED_TIMES ? inARow : 0;
  return isFirst ? 0 : inARow;
}

/**
 * Creates a token bucket, represented by the due time of the next request. The returned function returns the
 * milliseconds to wait. If there is no wait, it reserves the next place in the schedule and returns 0.
 */
function createRequestSpacing(rps: () => number | undefined, learned: LearnedRate): (now: number) => number {
  let due = 0;
  return (now) => {
    const interval = 1000 / Math.min(rps() ?? Number.POSITIVE_INFINITY, learned.perSecond(now));
    const wait = due - now - Math.max(0, BURST_MS - interval);
    if (wait > 0 && interval > 0) return wait;
    due = Math.max(due, now) + interval;
    return 0;
  };
}
