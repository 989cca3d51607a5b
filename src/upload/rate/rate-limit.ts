/**
 * How many requests a second the platform was found to let through, learnt from its refusals (429, 503). What came
 * through just before a refusal is taken for its cap; a little less is sent then, and slowly more again: the way back
 * is steep at first, flat around the cap, and steep once nothing is refused beyond it (the curve of CUBIC, RFC 9438).
 * A cap that is met again makes the next way back twice as long, so that a steady cap costs few refusals, and is not
 * given up for one look that shows less: a second of pauses may lie in it. Refusals that have
 * nothing to do with the pace (`scatter.ts`) show no cap.
 */
export interface LearnedRate {
  /** Requests a second that may leave just now; infinite while no cap was met. */
  readonly perSecond: (now: number) => number;
  /** A request was let through. */
  readonly letThrough: (now: number) => void;
  /** One was refused. */
  readonly refused: (now: number, refusal: Refusal) => void;
}

interface Refusal {
  /** Of a volley, which shows a cap once. */
  readonly isFirst: boolean;
  /** It came with a `Retry-After`: whoever sends that keeps count. */
  readonly isTold: boolean;
}

/** The share of the cap that is given up after a refusal. */
const RATE_REDUCTION = 0.1;
/** How long the way back to the cap takes. */
const MIN_RECOVERY_MS = 2_000;
const MAX_RECOVERY_MS = 60_000;
/** Two caps closer than this are one. */
const SAME_CAP_TOLERANCE = 0.15;
/** One refusal among many requests lets a cap fall no further than to this share of it. */
const MIN_SHARE_OF_CAP = 0.5;
/** Refusals are many when they are this share of the requests of two seconds, and so many of them. */
const MANY_REFUSALS_SHARE = 0.2;
const MANY_REFUSALS_COUNT = 3;

export function createLearnedRate(): LearnedRate {
  const through = createEventCounter();
  const refusals = createEventCounter();
  const scatter = createRandomRefusals();
  let cap = Number.POSITIVE_INFINITY;
  let backMs = MIN_RECOVERY_MS;
  let refusedAt = Number.NEGATIVE_INFINITY;

  const areMany = (now: number): boolean => {
    const refused = refusals.count(now, COUNTER_WINDOW_MS);
    return (
      refused >= MANY_REFUSALS_COUNT &&
      refused >= MANY_REFUSALS_SHARE * (refused + through.count(now, COUNTER_WINDOW_MS))
    );
  };

  const lower = (found: number, areAlone: boolean): void => {
    const wasConfirmed = backMs > MIN_RECOVERY_MS;
    const isConfirmed = Math.abs(found / cap - 1) < SAME_CAP_TOLERANCE;
    const isKnown = cap < Number.POSITIVE_INFINITY && (wasConfirmed || areAlone);
    cap = isKnown ? Math.max(found, cap * (wasConfirmed ? 1 - SAME_CAP_TOLERANCE : MIN_SHARE_OF_CAP)) : found;
    backMs = isConfirmed ? Math.min(2 * backMs, MAX_RECOVERY_MS) : MIN_RECOVERY_MS;
  };

  const forget = (): void => {
    cap = Number.POSITIVE_INFINITY;
    backMs = MIN_RECOVERY_MS;
  };

  return {
    perSecond: (now) =>
      cap === Number.POSITIVE_INFINITY ? cap : cap * (1 + RATE_REDUCTION * ((now - refusedAt) / backMs - 1) ** 3),
    letThrough(now) {
      through.add(now);
      scatter.letThrough();
    },
    refused(now, { isFirst, isTold }) {
      refusals.add(now);
      const isCap = isTold || areMany(now);
      const hasEnded = scatter.endsWith(isCap);
      if (scatter.isOn() || (!isFirst && !hasEnded)) return;
      const sinceMs = now - refusedAt;
      const found = through.perSecond(now, sinceMs);
      refusedAt = now;
      if (found === 0) return;
      if (!isCap && scatter.beginsWith(sinceMs < backMs)) forget();
      else lower(found, !isCap);
    },
  };
}

/**
 * Tells refusals that come now and then, whatever is sent, from those that a cap makes: when less is sent and they come
 * as before, three times in a row, they are scattered, and holding back is in vain. It is a cap all the same when more is
 * refused once nothing is held back; then it takes twice as many to be taken for scattered again.
 */
interface RandomRefusals {
  readonly letThrough: () => void;
  /** Refusals have nothing to do with the pace. */
  readonly isOn: () => boolean;
  /**
   * To be called for every refusal. True when it shows that refusals are not scattered any more.
   * @param isCap it shows a cap by itself
   */
  readonly endsWith: (isCap: boolean) => boolean;
  /**
   * To be called for the first refusal of a volley while they are not scattered. True when they are from now on.
   * @param isEarly less was being sent than when the last one came
   */
  readonly beginsWith: (isEarly: boolean) => boolean;
}

const EARLY_REFUSALS_UNTIL_RANDOM = 3;
/** Refusals that are no more than this share of the requests may be scattered, and stay so up to the other. */
const RANDOM_SHARE = 0.05;
const STILL_RANDOM_SHARE = 0.08;
/** Of fewer, no share is taken. */
const MIN_REFUSALS_FOR_SHARE = 8;

function createRandomRefusals(): RandomRefusals {
  let isOn = false;
  let patience = EARLY_REFUSALS_UNTIL_RANDOM;
  let inVain = 0;
  /** Since the first refusal in vain, or since it is on. */
  let through = 0;
  let refused = 0;

  const startCounting = (): void => {
    through = 0;
    refused = 0;
  };
  const areFew = (share: number): boolean => refused <= share * (through + refused);

  return {
    letThrough() {
      through += 1;
    },
    isOn: () => isOn,
    endsWith(isCap) {
      refused += 1;
      if (!isOn || !(isCap || (refused >= MIN_REFUSALS_FOR_SHARE && !areFew(STILL_RANDOM_SHARE)))) return false;
      isOn = false;
      inVain = 0;
      patience *= 2;
      return true;
    },
    beginsWith(isEarly) {
      inVain = isEarly ? inVain + 1 : 0;
      if (!isEarly) startCounting();
      isOn = inVain >= patience && areFew(RANDOM_SHARE);
      if (isOn) startCounting();
      return isOn;
    },
  };
}

/** Counts what happens, by tenths of a second, for two seconds. */
interface EventCounter {
  /** It has happened once more. */
  readonly add: (now: number) => void;
  /** Of the last milliseconds, two seconds at most. */
  readonly count: (now: number, lookMs: number) => number;
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
    perSecond(now, sinceMs) {
      if (firstAt === undefined) return 0;
      const wanted = Math.min(Math.max(sinceMs, MIN_WINDOW_MS), COUNTER_WINDOW_MS);
      const lookMs = Math.max(SLOT_MS, Math.min(wanted, now - firstAt));
      return (count(now, lookMs) / lookMs) * 1000;
    },
  };
}
