import { createRefusalNoise, MAX_NOISE, type Load } from "./refusal-noise.ts";

/**
 * How many requests a second the platform was found to let through, learnt from its refusals (429, 503). What came
 * through just before a refusal is taken for its cap; a little less is sent then, and slowly more again: the way back
 * is steep at first, flat around the cap, and steep once nothing is refused beyond it (the curve of CUBIC, RFC 9438).
 * A cap that is met again makes the next way back twice as long, so that a steady cap costs few refusals, and is not
 * given up for one look that shows less: a second of pauses may lie in it. Refusals that have nothing to do with the
 * rate show no cap (`refusal-noise.ts`).
 */
export interface LearnedRate {
  /** Requests a second that may leave just now; infinite while no cap was met. */
  readonly perSecond: (now: number) => number;
  /** @param isCurrent it left after the last change of the rate */
  readonly letThrough: (now: number, isCurrent: boolean) => void;
  readonly refused: (now: number, refusal: Refusal) => RefusalCause;
  /** Refusals are known to have nothing to do with the rate. */
  readonly isNoiseKnown: () => boolean;
  /** Another worker was refused at that time, and found that so much may leave then. */
  readonly adopt: (perSecond: number, refusedAt: number) => void;
  /** This one's share of the platform has changed by that factor. */
  readonly scale: (factor: number) => void;
}

export interface Refusal {
  /** It left after the last change of the rate. */
  readonly isCurrent: boolean;
  /** Everybody waits so long for it, unless it is noise. */
  readonly holdMs: number;
  /** Requests in flight at most. */
  readonly atATime: number;
  /** Requests a second that are possible with the requests in flight. */
  readonly perSecond: number;
}

/**
 * `noise`: it says nothing about the rate. `found-noise`: nor did those before it. `cap`: too much was sent. `unclear`:
 * a single refusal although less is sent, which may be either. `warning`: a single refusal while no cap is known.
 */
type RefusalCause = "noise" | "found-noise" | "cap" | "unclear" | "warning";

/** The share of the cap that is given up after a refusal. */
const RATE_REDUCTION = 0.1;
/** How long the way back to the cap takes. */
const MIN_RECOVERY_MS = 2_000;
const MAX_RECOVERY_MS = 60_000;
/** Two caps closer than this are one. */
const SAME_CAP_TOLERANCE = 0.15;
/** A refusal lets a known cap fall to this share of it at most: one alone, or one of many. */
const MIN_SHARE_OF_CAP = 0.8;
const MIN_SHARE_OF_CAP_MANY = 0.5;
/** To this share of the cap before, when refusals were taken for noise and were none. */
const MIN_SHARE_AFTER_TRIAL = 0.25;
/** Refusals are many when so many come in two seconds, and more than noise can be. */
const MANY_REFUSALS = 3;
/** Single refusals in a while that do not show a cap yet. */
const WARNINGS = 2;

export function createLearnedRate(): LearnedRate {
  const through = createEventCounter();
  const refusals = createEventCounter();
  const noise = createRefusalNoise();
  const cap = createCap();
  let capBeforeTrial: number | undefined;
  let isFollowedByThrough = false;
  const warnings = createWarnings();

  const areMany = (now: number): boolean => {
    const refused = refusals.count(now, COUNTER_WINDOW_MS);
    return refused >= MANY_REFUSALS && refused >= MAX_NOISE * (refused + through.count(now, COUNTER_WINDOW_MS));
  };
  /** Requests a second that came through, or would have but for noise; with no cap known, what might have at least. */
  const measure = (now: number, possible: number): number => {
    const sinceMs = now - cap.refusedAt();
    const measured = through.perSecond(now, sinceMs) / (1 - noise.share());
    if (measured === 0 || cap.isKnown()) return measured;
    if (capBeforeTrial !== undefined) return Math.max(measured, capBeforeTrial * MIN_SHARE_AFTER_TRIAL);
    const isTooSoon = Math.min(sinceMs, through.age(now)) < MIN_WINDOW_MS;
    return isTooSoon ? Math.max(measured, possible) : measured;
  };
  /** What a single refusal shows while no cap is known. With `Retry-After` each one costs too much to wait for more. */
  const beforeCap = (now: number, { atATime, holdMs }: Refusal): "found-noise" | "warning" | undefined => {
    if (holdMs > 0) return undefined;
    if (noise.learn("unknown", atATime)) return "found-noise";
    return warnings.isOne(now) && capBeforeTrial === undefined ? "warning" : undefined;
  };

  return {
    perSecond: cap.perSecond,
    adopt: cap.adopt,
    scale: cap.scale,
    isNoiseKnown: noise.isKnown,
    letThrough(now, isCurrent) {
      through.add(now);
      isFollowedByThrough = true;
      if (isCurrent) noise.letThrough(cap.loadAt(now));
    },
    refused(now, refusal) {
      refusals.add(now);
      if (!refusal.isCurrent) return noise.share() > 0 ? "noise" : "cap";
      const load = cap.loadAt(now);
      const isMany = areMany(now);
      const isAlone = isFollowedByThrough && !isMany;
      isFollowedByThrough = false;
      if (noise.explains(load)) return "noise";
      const cause = isAlone && load === "unknown" ? beforeCap(now, refusal) : undefined;
      if (cause !== undefined) return cause;
      const found = measure(now, refusal.perSecond);
      cap.restart(now + refusal.holdMs);
      if (found === 0) return "cap";
      if (noise.learn(load, refusal.atATime)) {
        capBeforeTrial = cap.value();
        cap.forget();
        return "found-noise";
      }
      cap.lower(found, isMany);
      return isAlone && load === "less" ? "unclear" : "cap";
    },
  };
}

interface Warnings {
  /** Whether a single refusal is one of the first in a while. */
  readonly isOne: (now: number) => boolean;
}

function createWarnings(): Warnings {
  let until = Number.NEGATIVE_INFINITY;
  let count = 0;
  return {
    isOne(now) {
      count = now > until ? 1 : count + 1;
      until = now + COUNTER_WINDOW_MS;
      return count <= WARNINGS;
    },
  };
}

interface Cap {
  readonly isKnown: () => boolean;
  /** Requests a second, infinite while unknown. */
  readonly value: () => number;
  /** Requests a second that may leave: a little less than the cap after a refusal, and more again with time. */
  readonly perSecond: (now: number) => number;
  readonly loadAt: (now: number) => Load;
  readonly refusedAt: () => number;
  readonly restart: (refusedAt: number) => void;
  /** @param found what came through when requests were refused */
  readonly lower: (found: number, isMany: boolean) => void;
  readonly forget: () => void;
  /** What others found: what may leave at the time of their refusal. */
  readonly adopt: (perSecond: number, refusedAt: number) => void;
  readonly scale: (factor: number) => void;
}

function createCap(): Cap {
  let cap = Number.POSITIVE_INFINITY;
  let recoveryMs = MIN_RECOVERY_MS;
  let refusedAt = Number.NEGATIVE_INFINITY;
  const isKnown = (): boolean => cap < Number.POSITIVE_INFINITY;

  return {
    isKnown,
    value: () => cap,
    perSecond(now) {
      if (!isKnown()) return cap;
      const progress = Math.max(0, now - refusedAt) / recoveryMs;
      return cap * (1 + RATE_REDUCTION * (progress - 1) ** 3);
    },
    loadAt(now) {
      if (!isKnown()) return "unknown";
      return now - refusedAt < recoveryMs ? "less" : "more";
    },
    refusedAt: () => refusedAt,
    restart(at) {
      refusedAt = at;
    },
    lower(found, isMany) {
      const isConfirmed = Math.abs(found / cap - 1) < SAME_CAP_TOLERANCE;
      const wasConfirmed = recoveryMs > MIN_RECOVERY_MS;
      const share = isMany ? MIN_SHARE_OF_CAP_MANY : MIN_SHARE_OF_CAP;
      const least = cap * (wasConfirmed ? 1 - SAME_CAP_TOLERANCE : share);
      cap = isKnown() ? Math.max(found, least) : found;
      recoveryMs = isConfirmed ? Math.min(2 * recoveryMs, MAX_RECOVERY_MS) : MIN_RECOVERY_MS;
    },
    forget() {
      cap = Number.POSITIVE_INFINITY;
      recoveryMs = MIN_RECOVERY_MS;
    },
    adopt(perSecond, at) {
      const found = perSecond / (1 - RATE_REDUCTION);
      const isSame = isKnown() && Math.abs(found / cap - 1) < SAME_CAP_TOLERANCE;
      recoveryMs = isSame ? Math.min(2 * recoveryMs, MAX_RECOVERY_MS) : MIN_RECOVERY_MS;
      cap = found;
      refusedAt = at;
    },
    scale(factor) {
      cap *= factor;
    },
  };
}

/** Counts what happens, by tenths of a second, for two seconds. */
interface EventCounter {
  /** It has happened once more. */
  readonly add: (now: number) => void;
  /** Of the last milliseconds, two seconds at most. */
  readonly count: (now: number, lookMs: number) => number;
  /** Milliseconds since the first one. */
  readonly age: (now: number) => number;
  /** Over the last one to two seconds: as many as lie within `sinceMs`. */
  readonly perSecond: (now: number, sinceMs: number) => number;
}

const SLOT_MS = 100;
const MIN_WINDOW_MS = 1_000;
/** What lies further back is forgotten. */
const COUNTER_WINDOW_MS = 2_000;

function createEventCounter(): EventCounter {
  const slots = new Map<number, number>();
  let firstAt: number | undefined;

  const count: EventCounter["count"] = (now, lookMs) => {
    const from = Math.floor((now - lookMs) / SLOT_MS);
    let sum = 0;
    for (const [slot, many] of slots) if (slot > from) sum += many;
    return sum;
  };

  return {
    add(now) {
      firstAt ??= now;
      const slot = Math.floor(now / SLOT_MS);
      slots.set(slot, (slots.get(slot) ?? 0) + 1);
      if (slots.size <= COUNTER_WINDOW_MS / SLOT_MS + 1) return;
      const [oldest] = slots.keys();
      if (oldest !== undefined) slots.delete(oldest);
    },
    count,
    age: (now) => (firstAt === undefined ? 0 : now - firstAt),
    perSecond(now, sinceMs) {
      if (firstAt === undefined) return 0;
      const wanted = Math.min(Math.max(sinceMs, MIN_WINDOW_MS), COUNTER_WINDOW_MS);
      const lookMs = Math.max(SLOT_MS, Math.min(wanted, now - firstAt));
      return (count(now, lookMs) / lookMs) * 1000;
    },
  };
}
