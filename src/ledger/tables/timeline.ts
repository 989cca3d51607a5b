import type { Timeline } from "../../model/timeline.ts";
import type { RunRow } from "../runs/recorded-run.ts";
import { slotLength, type SlotCount, timelineOf } from "../runs/time-slots.ts";
import { statement, type Tables, type Work } from "./tables.ts";

/** Implements `Ledger.timeline`. */
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
