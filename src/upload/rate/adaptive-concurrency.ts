import type { Clock, Random } from "../../time/clock.ts";
import { fullJitter } from "../../transport/retry-delay.ts";
import type { PushBack } from "../../platform/reply/reply-class.ts";
import { createLearnedRate, type LearnedRate, type Refusal } from "./rate-limit.ts";
import type { PaceShare, UploadEvent, UploadOptions } from "../upload-types.ts";

/**
 * How many requests may be in flight, and when the next may leave. One at a time more while that helps, half as many on
 * push-back (429, 503, timeouts), no faster than the platform was found to let through. A `Retry-After` holds for every
 * request, and so does a pause; refusals that are known not to depend on the rate change nothing.
 */
export interface RateControl {
  /** Requests in flight at most, just now. */
  readonly limit: () => number;
  /** The highest the limit can get. */
  readonly maximum: number;
  /** Undefined when a request may leave now; otherwise a wait, after which to ask again. */
  readonly waitForTurn: (signal: AbortSignal) => Promise<void> | undefined;
  /** The same for a request that has had its turn: only a pause that has begun since keeps it. */
  readonly waitForPause: (signal: AbortSignal) => Promise<void> | undefined;
  /** A request leaves. */
  readonly epoch: () => Epoch;
  /** A reply came that asks for nothing. `inFlight`: requests under way, this one included. */
  readonly answered: (durationMs: number, inFlight: number, epoch?: Epoch) => void;
  readonly pushedBack: (epoch: Epoch, pushBack: PushBack) => void;
  /** The request could not leave. */
  readonly unreachable: (epoch: Epoch, reason: string) => void;
  /** The platform has said something, whatever it was. */
  readonly reached: () => void;
  /** Refusals are known to come at random: the refused record alone waits. */
  readonly isNoiseKnown: () => boolean;
}

/** Changes of the rate until a request left: requests in flight together that meet the same trouble count once. */
export type Epoch = number;

export interface RateControlDependencies {
  readonly clock: Clock;
  readonly random: Random;
  readonly onChange: (event: UploadEvent) => void;
}

/** What may be in flight at first, where the push finds its way. */
export const START_LIMIT = 4;
const DEFAULT_MAXIMUM = 16;
/** After so many requests in a row that could not leave, one at a time tries whether the platform is back. */
const UNSENT_BEFORE_PROBE = 5;
/** So often in a row a `Retry-After` is enough of a pause: one of 0 s must not make a storm. */
const RETRY_AFTER_TRUSTED_TIMES = 3;
/** The longest pause that the platform did not ask for: after an outage the push goes on within this time. */
const MAX_PAUSE_MS = 8_000;
/** A window whose replies take longer than this times the best one's (and some) says that more would not help. */
const SLOWDOWN_FACTOR = 1.3;
const SLOWDOWN_MS = 5;
/** Windows after which one more is tried again that made replies slower before. */
const WINDOWS_BEFORE_NEXT_TRY = 10;
/** The best time is forgotten slowly, because platforms change over the day. */
const BEST_LATENCY_DECAY = 1.0002;
/** The share of a run that one process sends alone. */
const WHOLE_PACE: PaceShare = { limit: Number.POSITIVE_INFINITY, holdMs: 0 };
/** How far ahead of an even spacing `rps` may run, so that coarse timers cost no throughput. */
const BURST_MS = 50;

export function createRateControl(
  options: Pick<UploadOptions, "concurrency" | "ceiling" | "rps" | "share">,
  dependencies: RateControlDependencies,
): RateControl {
  const { clock, onChange } = dependencies;
  const { rps, share = () => WHOLE_PACE } = options;
  const concurrency = createConcurrencyLimit(options, onChange);
  const pauses = createPauses(dependencies);
  const learned = createLearnedRate();
  const shared = createSharedRate(learned);
  const spacing = createRequestSpacing(() => shared.heed(share()).rps ?? rps, learned);
  let troubles = 0;
  let pushedBackInARow = 0;
  let isAfterThrough = false;
  const outage = createOutage();

  const restMs = (): number => Math.max(pauses.restMs(), share().holdMs);

  return {
    limit: () => (outage.isProbing() ? 1 : Math.min(concurrency.limit(), share().limit)),
    maximum: concurrency.maximum,
    waitForTurn: (signal) => sleep(clock, restMs() || spacing.claim(clock.monotonic()), signal),
    waitForPause: (signal) => sleep(clock, restMs(), signal),
    epoch: () => troubles,
    answered(durationMs, inFlight, epoch = troubles) {
      pushedBackInARow = 0;
      isAfterThrough = true;
      const isCurrent = epoch >= troubles;
      learned.letThrough(clock.monotonic(), isCurrent);
      concurrency.increase(durationMs, inFlight, isCurrent);
    },
    pushedBack(epoch, { reason, afterMs }) {
      const isCurrent = epoch >= troubles;
      const isFirst = isAfterThrough && learned.perSecond(clock.monotonic()) === Number.POSITIVE_INFINITY;
      const refusal = { isCurrent, holdMs: afterMs ?? 0, ...concurrency.possible() };
      const cause = reason === "timeout" ? "cap" : learned.refused(clock.monotonic(), refusal);
      if (cause === "noise") return;
      if (isCurrent) troubles += 1;
      if (cause === "found-noise") return concurrency.restore("refusals do not depend on the rate");
      if (afterMs !== undefined) pauses.begin(afterMs, reason);
      if (!isCurrent || cause === "unclear") return;
      pushedBackInARow += 1;
      isAfterThrough = false;
      const round = ownPauseRound(reason, { isTold: afterMs !== undefined, isFirst, inARow: pushedBackInARow });
      if (round > 0) pauses.beginOwn(round, reason);
      concurrency.halve(reason, shared.found(clock.monotonic()), reason !== "timeout");
    },
    unreachable(epoch, reason) {
      if (outage.unsent()) onChange({ kind: "pace", limit: 1, reason });
      if (epoch < troubles) return;
      troubles += 1;
      pauses.beginOwn(outage.nextRound(), reason);
    },
    reached() {
      const limit = concurrency.limit();
      if (outage.end()) onChange({ kind: "pace", limit, reason: "the platform can be reached again" });
    },
    isNoiseKnown: learned.isNoiseKnown,
  };
}

/** Requests that could not leave. */
interface Outage {
  /** One at a time tries whether the platform is back. */
  readonly isProbing: () => boolean;
  /** One more could not leave. True when probing begins. */
  readonly unsent: () => boolean;
  /** Pauses so far, this one included. */
  readonly nextRound: () => number;
  /** The platform was reached. True when that ends the probing. */
  readonly end: () => boolean;
}

function createOutage(): Outage {
  let unsentInARow = 0;
  let rounds = 0;
  const isProbing = (): boolean => unsentInARow >= UNSENT_BEFORE_PROBE;
  return {
    isProbing,
    unsent() {
      unsentInARow += 1;
      return unsentInARow === UNSENT_BEFORE_PROBE;
    },
    nextRound() {
      rounds += 1;
      return rounds;
    },
    end() {
      const wasProbing = isProbing();
      unsentInARow = 0;
      rounds = 0;
      return wasProbing;
    },
  };
}

/** Keeps what is known of the rate in step with what other workers of the run have found. */
interface SharedRate {
  readonly heed: (share: PaceShare) => PaceShare;
  /** A refusal was met here; gives what may leave a second, infinite while no cap was met. */
  readonly found: (now: number) => number;
}

/** What is told later by less than this may be what was found here. */
const SAME_FINDING_MS = 250;

function createSharedRate(learned: LearnedRate): SharedRate {
  let foundAt = Number.NEGATIVE_INFINITY;
  let heeded: string | undefined;
  let before = 1;
  return {
    heed(share) {
      const { workers = 1, found } = share;
      if (workers !== before) learned.scale(before / workers);
      before = workers;
      if (found === undefined || found.id === heeded) return share;
      heeded = found.id;
      if (found.at <= foundAt + SAME_FINDING_MS) return share;
      foundAt = found.at;
      learned.adopt(found.perSecond, found.at);
      return share;
    },
    found(now) {
      const perSecond = learned.perSecond(now);
      if (perSecond < Number.POSITIVE_INFINITY) foundAt = now;
      return perSecond;
    },
  };
}

interface Pauses {
  /** Milliseconds that are left of the longest. */
  readonly restMs: () => number;
  readonly begin: (forMs: number, reason: string) => void;
  /** One that the platform did not ask for; `round`: how many in a row, this one included. */
  readonly beginOwn: (round: number, reason: string) => void;
}

function createPauses({ clock, random, onChange }: RateControlDependencies): Pauses {
  let pausedUntil = 0;
  const begin: Pauses["begin"] = (forMs, reason) => {
    const until = clock.monotonic() + forMs;
    if (forMs <= 0 || until <= pausedUntil) return;
    pausedUntil = until;
    onChange({ kind: "pause", forMs, reason });
  };
  return {
    restMs: () => Math.max(0, pausedUntil - clock.monotonic()),
    begin,
    beginOwn: (round, reason) => begin(Math.min(MAX_PAUSE_MS, fullJitter(round, random)), reason),
  };
}

function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> | undefined {
  return ms > 0 ? clock.sleep(ms, signal) : undefined;
}

interface PushBackInARow {
  /** The platform named a pause. */
  readonly isTold: boolean;
  /** Requests came through before it, and no cap was known. */
  readonly isFirst: boolean;
  /** How many in a row, this one included. */
  readonly inARow: number;
}

/**
 * The round of the pause that the platform did not ask for; 0: none. A timeout slows by itself, a pause that the platform
 * named is enough at first, and after the first refusal half as many requests in flight are.
 */
function ownPauseRound(reason: string, { isTold, isFirst, inARow }: PushBackInARow): number {
  if (reason === "timeout") return 0;
  if (isTold) return inARow > RETRY_AFTER_TRUSTED_TIMES ? inARow : 0;
  return isFirst ? 0 : inARow;
}

interface ConcurrencyLimit {
  readonly limit: () => number;
  readonly maximum: number;
  /** @param isCurrent the request left after the last change */
  readonly increase: (durationMs: number, inFlight: number, isCurrent: boolean) => void;
  /**
   * @param perSecond what the platform was found to let through, infinite while it is unknown
   * @param isQuicklyBack each request that is let through allows one more, up to the limit before
   */
  readonly halve: (reason: string, perSecond: number, isQuicklyBack: boolean) => void;
  /** Back to the limit before it was last halved. */
  readonly restore: (reason: string) => void;
  /** What the limit allows at the best time of replies. */
  readonly possible: () => Pick<Refusal, "atATime" | "perSecond">;
}

/** Additive increase, multiplicative decrease: a step up at the end of a window at most, half on trouble. */
function createConcurrencyLimit(
  { concurrency, ceiling = DEFAULT_MAXIMUM }: Pick<UploadOptions, "concurrency" | "ceiling">,
  onChange: (event: UploadEvent) => void,
): ConcurrencyLimit {
  const auto = concurrency === "auto";
  const maximum = auto ? ceiling : concurrency;
  const window = createLatencyWindow(auto);
  let limit = auto ? Math.min(START_LIMIT, maximum) : maximum;
  /** The most at a time that did not make replies slow. */
  let good = limit;
  let patience = 0;
  let before = 0;
  let recoverTo = 0;

  const change = (to: number, reason: string, perSecond = Number.POSITIVE_INFINITY): void => {
    const isNew = to !== limit || perSecond < Number.POSITIVE_INFINITY;
    window.restart();
    limit = to;
    if (!isNew) return;
    const told = perSecond < Number.POSITIVE_INFINITY ? { perSecond: Math.round(perSecond * 10) / 10 } : {};
    onChange({ kind: "pace", limit, ...told, reason });
  };

  const recover = (): void => {
    if (limit >= recoverTo) return;
    window.restart();
    limit += 1;
    if (limit < recoverTo) return;
    recoverTo = 0;
    onChange({ kind: "pace", limit, reason: "requests are let through again" });
  };

  return {
    limit: () => limit,
    maximum,
    increase(durationMs, inFlight, isCurrent) {
      if (isCurrent) recover();
      if (inFlight < limit / 2 || !window.add(durationMs, limit)) return;
      const reason = auto ? "replies stay quick" : "back to the set concurrency";
      patience -= 1;
      if (!window.helps()) {
        if (limit > good) patience = WINDOWS_BEFORE_NEXT_TRY;
        recoverTo = 0;
        change(Math.min(limit, good), "one more only made replies slower");
        return;
      }
      if (limit >= maximum || patience > 0) return window.restart();
      good = limit;
      change(limit + 1, reason);
    },
    halve(reason, perSecond, isQuicklyBack) {
      before = Math.max(before, limit);
      recoverTo = isQuicklyBack ? Math.max(limit, recoverTo) : 0;
      change(Math.max(1, Math.floor(limit / 2)), reason, perSecond);
    },
    possible: () => ({ atATime: limit, perSecond: (Math.max(limit, recoverTo) * 1000) / window.best() }),
    restore(reason) {
      change(Math.max(before, limit), reason);
    },
  };
}

interface LatencyWindow {
  /** True when as many replies have come as may be in flight: one window. */
  readonly add: (durationMs: number, size: number) => boolean;
  readonly helps: () => boolean;
  /** The best mean time of a window, milliseconds. */
  readonly best: () => number;
  readonly restart: () => void;
}

function createLatencyWindow(latencyMatters: boolean): LatencyWindow {
  let replies = 0;
  let sum = 0;
  let best = Number.POSITIVE_INFINITY;
  return {
    add(durationMs, size) {
      replies += 1;
      sum += durationMs;
      return replies >= size;
    },
    helps() {
      const mean = sum / replies;
      best = Math.min(best * BEST_LATENCY_DECAY, mean);
      return !latencyMatters || mean <= best * SLOWDOWN_FACTOR + SLOWDOWN_MS;
    },
    best: () => Math.max(1, replies > 0 ? Math.min(best, sum / replies) : best),
    restart() {
      replies = 0;
      sum = 0;
    },
  };
}

/** A token bucket written as a timetable: when the next request is due. */
function createRequestSpacing(
  rps: () => number | undefined,
  learned: LearnedRate,
): { readonly claim: (now: number) => number } {
  let due = 0;
  return {
    /** Milliseconds to wait; 0 takes the place in the timetable. */
    claim(now) {
      const interval = 1000 / Math.min(rps() ?? Number.POSITIVE_INFINITY, learned.perSecond(now));
      const wait = due - now - Math.max(0, BURST_MS - interval);
      if (wait > 0 && interval > 0) return wait;
      due = Math.max(due, now) + interval;
      return 0;
    },
  };
}
