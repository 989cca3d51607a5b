import type { Timeline } from "../../../model/timeline.ts";
import { slotLength, type SlotCount, timelineOf } from "../../runs/time-slots.ts";
import type { RunRow } from "../ledger-schema.ts";
import type { Query, SqliteDatabase } from "../sqlite-database.ts";

/** Undefined for a run without replies. */
export function timeline(database: SqliteDatabase, run: RunRow): Timeline | undefined {
  const span = database.row(SELECT_SPAN, run.number);
  if (span === undefined || span.first === null || span.last === null) return undefined;
  const slotSeconds = slotLength(span.last - span.first);
  return timelineOf(slotSeconds, database.rows(SELECT_SLOTS, run.number, slotSeconds));
}

const SECONDS = "cast(strftime('%s', settled_at) as integer)";

const SELECT_SPAN: Query<{ first: number | null; last: number | null }> = {
  sql: `select min(${SECONDS}) as first, max(${SECONDS}) as last from attempts where run = ? and settled_at is not null`,
};

const SELECT_SLOTS: Query<SlotCount> = {
  sql: `select ${SECONDS} / ?2 as slot, status, count(*) as count from attempts
    where run = ?1 and settled_at is not null group by 1, 2 order by 1, 2`,
};
