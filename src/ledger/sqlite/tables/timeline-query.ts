import type { Status } from "../../../model/outcome.ts";
import type { Timeline } from "../../../model/timeline.ts";
import type { RunRow } from "../ledger-schema.ts";
import type { Query, SqliteDatabase } from "../sqlite-database.ts";

/** Undefined for a run without a single answer. */
export function timeline(database: SqliteDatabase, run: RunRow): Timeline | undefined {
  const span = database.row(SELECT_SPAN, run.number);
  if (span === undefined || span.first === null || span.last === null) return undefined;
  const slotSeconds = slotLength(span.last - span.first);
  const slots = new Map<number, Partial<Record<Status, number>>>();
  for (const { slot, status, count } of database.rows(SELECT_SLOTS, run.number, slotSeconds)) {
    slots.set(slot, { ...slots.get(slot), [status]: count });
  }
  return {
    slotSeconds,
    slots: [...slots].map(([slot, counts]) => ({ at: new Date(slot * slotSeconds * 1000).toISOString(), counts })),
  };
}

const SECONDS = "cast(strftime('%s', settled_at) as integer)";

const SELECT_SPAN: Query<{ first: number | null; last: number | null }> = {
  sql: `select min(${SECONDS}) as first, max(${SECONDS}) as last from attempts where run = ? and settled_at is not null`,
};

const SELECT_SLOTS: Query<{ slot: number; status: Status; count: number }> = {
  sql: `select ${SECONDS} / ?2 as slot, status, count(*) as count from attempts
    where run = ?1 and settled_at is not null group by 1, 2 order by 1, 2`,
};

const MAX_SLOTS = 60;
const DAY = 86_400;
const LENGTHS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, DAY];

/** The shortest length that people count in with which so many seconds are at most `MAX_SLOTS` slots. */
function slotLength(seconds: number): number {
  const least = (seconds + 1) / (MAX_SLOTS - 1);
  return LENGTHS.find((length) => length >= least) ?? Math.ceil(least / DAY) * DAY;
}
