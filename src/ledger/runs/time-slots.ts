import type { Status } from "../../model/outcome.ts";
import type { Timeline } from "../../model/timeline.ts";

/** The number of requests that ended with one status in one slot. Slots are numbered from the beginning of 1970. */
export interface SlotCount {
  readonly slot: number;
  readonly status: Status;
  readonly count: number;
}

export function timelineOf(slotSeconds: number, found: readonly SlotCount[]): Timeline {
  const slots = new Map<number, Partial<Record<Status, number>>>();
  for (const { slot, status, count } of found) slots.set(slot, { ...slots.get(slot), [status]: count });
  return {
    slotSeconds,
    slots: [...slots].map(([slot, counts]) => ({ at: new Date(slot * slotSeconds * 1000).toISOString(), counts })),
  };
}

const MAX_SLOTS = 60;
const DAY = 86_400;
const LENGTHS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, DAY];

/**
 * Returns the shortest slot length in `LENGTHS` that divides this duration into at most `MAX_SLOTS` slots. For a longer
 * duration, returns a number of whole days.
 */
export function slotLength(seconds: number): number {
  const least = (seconds + 1) / (MAX_SLOTS - 1);
  return LENGTHS.find((length) => length >= least) ?? Math.ceil(least / DAY) * DAY;
}
