/**
 * How many requests a second the platform was found to let through, learnt from its refusals (429, 503). What came
 * through just before a refusal is taken for its cap; a little less is sent then, and slowly more again: the way back
 * is steep at first, flat around the cap, and steep once nothing is refused beyond it (the curve of CUBIC, RFC 9438).
 * A cap that is met again makes the next way back twice as long, so that a steady cap costs few refusals, and is not
 * given up for one look that shows less: a second of pauses may lie in it.
 */
export interface FoundRate {
  /** Requests a second that may leave just now; infinite while no cap was met. */
  readonly perSecond: (now: number) => number;
  /** A request was let through. */
  readonly letThrough: (now: number) => void;
  /** One was refused; a volley of refusals counts once. */
  readonly refused: (now: number) => void;
}

/** The share of the cap that is given up after a refusal. */
const CUT = 0.1;
/** How long the way back to the cap takes. */
const SHORTEST_BACK_MS = 2_000;
const LONGEST_BACK_MS = 60_000;
/** Two caps closer than this are one. */
const SAME = 0.15;

export function createFoundRate(): FoundRate {
  const tally = createTally();
  let cap = Number.POSITIVE_INFINITY;
  let backMs = SHORTEST_BACK_MS;
  let refusedAt = Number.NEGATIVE_INFINITY;

  return {
    perSecond: (now) =>
      cap === Number.POSITIVE_INFINITY ? cap : cap * (1 + CUT * ((now - refusedAt) / backMs - 1) ** 3),
    letThrough: tally.add,
    refused(now) {
      const found = tally.perSecond(now, now - refusedAt);
      refusedAt = now;
      if (found === 0) return;
      const isConfirmed = Math.abs(found / cap - 1) < SAME;
      const wasConfirmed = backMs > SHORTEST_BACK_MS;
      cap = wasConfirmed ? Math.max(found, cap * (1 - SAME)) : found;
      backMs = isConfirmed ? Math.min(2 * backMs, LONGEST_BACK_MS) : SHORTEST_BACK_MS;
    },
  };
}

interface Tally {
  readonly add: (now: number) => void;
  /** Over the last one to two seconds: as many as lie within `sinceMs`. */
  readonly perSecond: (now: number, sinceMs: number) => number;
}

const SLOT_MS = 100;
const SHORTEST_LOOK_MS = 1_000;
const LONGEST_LOOK_MS = 2_000;

/** Counts by tenths of a second, of the last two seconds. */
function createTally(): Tally {
  const slots = new Map<number, number>();
  let firstAt: number | undefined;

  return {
    add(now) {
      firstAt ??= now;
      const slot = Math.floor(now / SLOT_MS);
      slots.set(slot, (slots.get(slot) ?? 0) + 1);
      if (slots.size <= LONGEST_LOOK_MS / SLOT_MS + 1) return;
      const [oldest] = slots.keys();
      if (oldest !== undefined) slots.delete(oldest);
    },
    perSecond(now, sinceMs) {
      if (firstAt === undefined) return 0;
      const wanted = Math.min(Math.max(sinceMs, SHORTEST_LOOK_MS), LONGEST_LOOK_MS);
      const lookMs = Math.max(SLOT_MS, Math.min(wanted, now - firstAt));
      const from = Math.floor((now - lookMs) / SLOT_MS);
      let count = 0;
      for (const [slot, many] of slots) if (slot > from) count += many;
      return (count / lookMs) * 1000;
    },
  };
}
