import { createRefusalNoise, MAX_NOISE, type Load, type RefusalNoise } from "./refusal-noise.ts";

/**
 * The rate (requests per second) that the platform accepts, learned from its refusals (429, 503). A refusal sets the
 * cap to the rate just before the refusal. The run then sends slightly less and recovers along the curve of CUBIC (RFC
 * 9438). This curve is steep at first, flat around the cap, and steep beyond it while nothing is refused. Reaching the
 * same cap again doubles the recovery time, so a steady cap causes few refusals. A single lower measurement does not
 * replace a confirmed cap, because it may include a pause. Refusals that are independent of the rate do not indicate a
 * cap (`refusal-noise.ts`).
 */
export interface LearnedRate {
  /** Returns the requests per second that may be sent now; infinite if no cap is known. */
  readonly perSecond: (now: number) => number;
  /** @param isCurrent whether the request was sent after the last change of the rate */
  readonly acceptedRequest: (now: number, isCurrent: boolean) => void;
  readonly refused: (now: number, refusal: Refusal) => RefusalCause;
  /** Refusals that are independent of the rate. */
  readonly noise: RefusalNoise;
  /** Adopts the rate that another worker derived from a refusal at the given time. */
  readonly adopt: (perSecond: number, refusedAt: number) => void;
  /** Scales the rate because this worker's share of the platform changed. */
  readonly scale: (factor: number) => void;
}

/** The load that the limits on concurrency allow. */
export interface PossibleLoad {
  /** Maximum number of requests in flight. */
  readonly atATime: number;
  /** Requests per second that are possible with `atATime` requests in flight. */
  readonly perSecond: number;
}

interface Refusal extends PossibleLoad {
  /** Whether the request was sent after the last change of the rate. */
  readonly isCurrent: boolean;
  /** How long all requests pause after this refusal, unless the refusal is noise. */
  readonly holdMs: number;
}

/**
 * `noise`: independent of the rate. `found-noise`: the refusals up to this one are now known to be independent of the
 * rate. `cap`: the rate was too high. `unclear`: a single refusal at a reduced rate, which may be noise or a cap.
 * `warning`: a single refusal while no cap is known.
 */
export type RefusalCause = "noise" | "found-noise" | "cap" | "unclear" | "warning";

/** How much the rate is reduced after a refusal, as a share of the cap. */
const RATE_REDUCTION = 0.1;
/** Limits on the time that the recovery to the cap may take. */
const MIN_RECOVERY_MS = 2_000;
const MAX_RECOVERY_MS = 60_000;
/** Maximum relative difference between two caps that count as the same. */
const SAME_CAP_TOLERANCE = 0.15;
/**
 * Lower bounds on a known cap after a refusal, as a share of the previous cap: after a single refusal, and after one of
 * many refusals.
 */
const MIN_SHARE_OF_CAP = 0.8;
const MIN_SHARE_OF_CAP_MANY = 0.5;
/** The lower bound if refusals were mistaken for noise. */
const MIN_SHARE_AFTER_TRIAL = 0.25;
/**
 * Refusals count as frequent if at least this many occur within two seconds and their share is at least `MAX_NOISE`.
 */
const MANY_REFUSALS = 3;
/** Number of single refusals in a period that do not yet indicate a cap. */
const WARNINGS = 2;

export function createLearnedRate(): LearnedRate {
  const through = createEventCounter();
  const refusals = createEventCounter();
  const noise = createRefusalNoise();
  const cap = createCap();
  let capBeforeTrial: number | undefined;
  let isFollowedByAccepted = false;
  const isWarning = countWarnings();

  const areMany = (now: number): boolean => {
    const refused = refusals.count(now, COUNTER_WINDOW_MS);
    return refused >= MANY_REFUSALS && refused >= MAX_NOISE * (refused + through.count(now, COUNTER_WINDOW_MS));
  };
  /**
   * Returns the requests per second that were accepted, or would have been accepted without noise. The result is a
   * lower bound if no cap is known.
   */
  const measure = (now: number, possible: number): number => {
    const sinceMs = now - cap.refusedAt();
    const measured = through.perSecond(now, sinceMs) / (1 - noise.share());
    if (measured === 0 || cap.isKnown()) return measured;
    if (capBeforeTrial !== undefined) return Math.max(measured, capBeforeTrial * MIN_SHARE_AFTER_TRIAL);
    const isWindowTooShort = Math.min(sinceMs, through.age(now)) < MIN_WINDOW_MS;
    return isWindowTooShort ? Math.max(measured, possible) : measured;
  };
  /**
   * Returns how to treat a single refusal while no cap is known; undefined if the accepted rate must be measured. If
   * the refusal has a `Retry-After`, waiting for more refusals would cost too much.
   */
  const beforeCap = (now: number, { atATime, holdMs }: Refusal, isSingle: boolean): RefusalCause | undefined => {
    if (!isSingle || holdMs > 0) return undefined;
    if (noise.learn("unknown", atATime)) return "found-noise";
    return isWarning(now) && capBeforeTrial === undefined ? "warning" : undefined;
  };

  return {
    perSecond: cap.perSecond,
    adopt: cap.adopt,
    scale: cap.scale,
    noise,
    acceptedRequest(now, isCurrent) {
      through.add(now);
      isFollowedByAccepted = true;
      if (isCurrent) noise.acceptedRequest(cap.loadAt(now));
    },
    refused(now, refusal) {
      refusals.add(now);
      if (!refusal.isCurrent) return noise.share() > 0 ? "noise" : "cap";
      const load = cap.loadAt(now);
      const isMany = areMany(now);
      const isAlone = isFollowedByAccepted && !isMany;
      isFollowedByAccepted = false;
      if (noise.explains(load)) return "noise";
      const cause = beforeCap(now, refusal, isAlone && load === "unknown");
      if (cause !== undefined) return cause;
      const found = measure(now, refusal.perSecond);
      cap.restart(now + refusal.holdMs);
      if (found === 0) return "cap";
      if (load !== "unknown" && noise.learn(load, refusal.atATime)) {
        capBeforeTrial = cap.value();
        cap.forget();
        return "found-noise";
      }
      cap.lower(found, isMany);
      return isAlone && load === "less" ? "unclear" : "cap";
    },
  };
}

/** Returns a function that tests whether a single refusal is one of the first in its period. */
function countWarnings(): (now: number) => boolean {
  let until = Number.NEGATIVE_INFINITY;
  let count = 0;
  return (now) => {
    count = now > until ? 1 : count + 1;
    until = now + COUNTER_WINDOW_MS;
    return count <= WARNINGS;
  };
}

function createCap() {
  let cap = Number.POSITIVE_INFINITY;
  let recoveryMs = MIN_RECOVERY_MS;
  let refusedAt = Number.NEGATIVE_INFINITY;
  const isKnown = (): boolean => cap < Number.POSITIVE_INFINITY;

  return {
    isKnown,
    /** Returns the cap in requests per second; infinite if unknown. */
    value: () => cap,
    /**
     * Returns the requests per second that may be sent: slightly less than the cap after a refusal, then increasing
     * over time.
     */
    perSecond: (now: number): number => {
      if (!isKnown()) return cap;
      const progress = Math.max(0, now - refusedAt) / recoveryMs;
      return cap * (1 + RATE_REDUCTION * (progress - 1) ** 3);
    },
    loadAt(now: number): Load {
      if (!isKnown()) return "unknown";
      return now - refusedAt < recoveryMs ? "less" : "more";
    },
    refusedAt: () => refusedAt,
    restart(at: number): void {
      refusedAt = at;
    },
    /** @param found rate of accepted requests just before the refusal */
    lower(found: number, isMany: boolean): void {
      const isConfirmed = Math.abs(found / cap - 1) < SAME_CAP_TOLERANCE;
      const wasConfirmed = recoveryMs > MIN_RECOVERY_MS;
      const share = isMany ? MIN_SHARE_OF_CAP_MANY : MIN_SHARE_OF_CAP;
      const lowest = cap * (wasConfirmed ? 1 - SAME_CAP_TOLERANCE : share);
      cap = isKnown() ? Math.max(found, lowest) : found;
      recoveryMs = isConfirmed ? Math.min(2 * recoveryMs, MAX_RECOVERY_MS) : MIN_RECOVERY_MS;
    },
    forget(): void {
      cap = Number.POSITIVE_INFINITY;
      recoveryMs = MIN_RECOVERY_MS;
    },
    /** Adopts the rate of another worker, as of the time of its refusal. */
    adopt: (perSecond: number, at: number): void => {
      const found = perSecond / (1 - RATE_REDUCTION);
      const isSame = isKnown() && Math.abs(found / cap - 1) < SAME_CAP_TOLERANCE;
      recoveryMs = isSame ? Math.min(2 * recoveryMs, MAX_RECOVERY_MS) : MIN_RECOVERY_MS;
      cap = found;
      refusedAt = at;
    },
    scale: (factor: number): void => {
      cap *= factor;
    },
  };
}

const SLOT_MS = 100;
const MIN_WINDOW_MS = 1_000;
/** Age at which events are dropped. */
const COUNTER_WINDOW_MS = 2_000;

/** Counts the events of the last two seconds, in slots of 100 ms. */
function createEventCounter() {
  const slots = new Map<number, number>();
  let firstAt: number | undefined;

  const count = (now: number, windowMs: number): number => {
    const from = Math.floor((now - windowMs) / SLOT_MS);
    let sum = 0;
    for (const [slot, many] of slots) if (slot > from) sum += many;
    return sum;
  };

  return {
    add(now: number): void {
      firstAt ??= now;
      const slot = Math.floor(now / SLOT_MS);
      slots.set(slot, (slots.get(slot) ?? 0) + 1);
      if (slots.size <= COUNTER_WINDOW_MS / SLOT_MS + 1) return;
      const [oldest] = slots.keys();
      if (oldest !== undefined) slots.delete(oldest);
    },
    /** Returns the number of events in the last `windowMs` milliseconds. `windowMs` is at most two seconds. */
    count,
    /** Returns the milliseconds since the first event. */
    age: (now: number) => (firstAt === undefined ? 0 : now - firstAt),
    /**
     * Returns the events per second over the last `sinceMs` milliseconds, but over at least one and at most two
     * seconds.
     */
    perSecond(now: number, sinceMs: number): number {
      if (firstAt === undefined) return 0;
      const wanted = Math.min(Math.max(sinceMs, MIN_WINDOW_MS), COUNTER_WINDOW_MS);
      const windowMs = Math.max(SLOT_MS, Math.min(wanted, now - firstAt));
      return (count(now, windowMs) / windowMs) * 1000;
    },
  };
}
