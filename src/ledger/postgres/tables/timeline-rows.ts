import type { Timeline } from "../../../model/timeline.ts";
import { slotLength, type SlotCount, timelineOf } from "../../runs/time-slots.ts";
import type { RunRow } from "../postgres-schema.ts";
import type { Queries, Statement } from "../queries.ts";

/** Undefined for a run without replies. */
export async function timeline(queries: Queries, run: RunRow): Promise<Timeline | undefined> {
  const span = await queries.row(SELECT_SPAN, run.number);
  if (span === undefined || span.first === null || span.last === null) return undefined;
  const slotSeconds = slotLength(span.last - span.first);
  return timelineOf(slotSeconds, await queries.rows(SELECT_SLOTS, run.number, slotSeconds));
}

/** Timestamps have a fixed format, so their texts sort by time. */
const SELECT_SPAN: Statement<{ first: number | null; last: number | null }> = {
  sql: `select ${seconds("min(settled_at)")} as first, ${seconds("max(settled_at)")} as last
    from migrate.attempts where run = $1`,
};

const SELECT_SLOTS: Statement<SlotCount> = {
  sql: `
  select ${seconds("settled_at")} / $2::int as slot, status, count(*) as count from migrate.attempts
  where run = $1 and settled_at is not null group by slot, status order by slot, status collate "C"`,
};

function seconds(stamp: string): string {
  return `floor(extract(epoch from ${stamp}::timestamptz))::bigint`;
}
