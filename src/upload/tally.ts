/** Counts what happens, by tenths of a second, for two seconds. */
export interface Tally {
  /** It has happened once more. */
  readonly add: (now: number) => void;
  /** Of the last milliseconds, two seconds at most. */
  readonly count: (now: number, lookMs: number) => number;
  /** Over the last one to two seconds: as many as lie within `sinceMs`. */
  readonly perSecond: (now: number, sinceMs: number) => number;
}

const SLOT_MS = 100;
const SHORTEST_LOOK_MS = 1_000;
/** What lies further back is forgotten. */
export const TALLIED_MS = 2_000;

export function createTally(): Tally {
  const slots = new Map<number, number>();
  let firstAt: number | undefined;

  const count: Tally["count"] = (now, lookMs) => {
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
      if (slots.size <= TALLIED_MS / SLOT_MS + 1) return;
      const [oldest] = slots.keys();
      if (oldest !== undefined) slots.delete(oldest);
    },
    count,
    perSecond(now, sinceMs) {
      if (firstAt === undefined) return 0;
      const wanted = Math.min(Math.max(sinceMs, SHORTEST_LOOK_MS), TALLIED_MS);
      const lookMs = Math.max(SLOT_MS, Math.min(wanted, now - firstAt));
      return (count(now, lookMs) / lookMs) * 1000;
    },
  };
}
