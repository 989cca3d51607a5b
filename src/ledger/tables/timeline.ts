import type { Status } from "../../model/outcome.ts";
import type { Timeline } from "../../model/timeline.ts";
import type { RunRow } from "../runs/recorded-run.ts";
import { statement, type Tables, type Work } from "./tables.ts";

export function* timeline(tables: Tables, run: RunRow): Work<Timeline | undefined> {
  const span = yield* tables.row(SELECT_SPAN, run.number);
  if (span === undefined || span.first === null || span.last === null) return undefined;
  const slotSeconds = slotLength(span.last - span.first);
  return timelineOf(slotSeconds, yield* tables.rows(SELECT_SLOTS, run.number, slotSeconds));
}

const seconds = {
  sqlite: (stamp: string): string => `cast(strftime('%s', ${stamp}) as integer)`,
  postgres: (stamp: string): string => `floor(extract(epoch from ${stamp}::timestamptz))::bigint`,
};
type Seconds = (stamp: string) => string;

/**
 * Selects the first and last time. Timestamps have a fixed format, so their order as strings is their order in time.
 */
const selectSpan = (of: Seconds): string =>
  `select ${of("min(settled_at)")} as first, ${of("max(settled_at)")} as last from migrate.attempts where run = $1`;

const selectSlots = (of: Seconds): string => `
  select ${of("settled_at")} / $2::int as slot, status, count(*) as count from migrate.attempts
  where run = $1 and settled_at is not null group by 1, 2 order by 1, 2`;

const SELECT_SPAN = statement<{ first: number | null; last: number | null }>({
  sqlite: selectSpan(seconds.sqlite),
  postgres: selectSpan(seconds.postgres),
});

const SELECT_SLOTS = statement<SlotCount>({
  sqlite: selectSlots(seconds.sqlite),
  postgres: selectSlots(seconds.postgres),
});

/** The number of requests that ended with one status in one slot. Slots are numbered from the beginning of 1970. */
interface SlotCount {
  readonly slot: number;
  readonly status: Status;
  readonly count: number;
}

function timelineOf(slotSeconds: number, found: readonly SlotCount[]): Timeline {
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
function slotLength(span: number): number {
  const minLength = (span + 1) / (MAX_SLOTS - 1);
  return LENGTHS.find((length) => length >= minLength) ?? Math.ceil(minLength / DAY) * DAY;
}
