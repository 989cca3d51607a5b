import type { Status, Summary } from "../model/outcome.ts";
import type { Severity } from "../model/problem.ts";
import type { RunRow } from "./run-row.ts";
import type { Query, SqliteDatabase } from "./sqlite-database.ts";

/**
 * The status that an item shows: what is in flight may have been processed, and so may what is to be sent again because
 * an earlier request had no clear answer. Over the table `items`.
 */
export const SHOWN_STATUS = `case items.status
  when 'sending' then 'ambiguous'
  when 'pending' then
    (select iif(count(*) > 0, 'ambiguous', 'pending')
     from records where records.identity = items.identity and state = 'ambiguous')
  else items.status end`;

/** The problems that stand: those of the plan and of the latest attempt. Over `problems` and `items`. */
export const STANDING_PROBLEM = "(problems.attempt = 0 or problems.attempt = items.attempt)";

export function summary(database: SqliteDatabase, run: RunRow): Summary {
  const counts = countByStatus(database, run);
  return {
    records: Object.values(counts).reduce((sum, count) => sum + count, 0),
    counts,
    errors: countByCode(database, run, "error"),
    warnings: countByCode(database, run, "warning"),
    exitCode: exitCodeOf(counts),
  };
}

type Counts = Readonly<Partial<Record<Status, number>>>;

const COUNT_BY_STATUS: Query<{ status: Status; count: number }> = {
  sql: `select ${SHOWN_STATUS} as status, count(*) as count from items where run = ? group by 1 order by 1`,
};

function countByStatus(database: SqliteDatabase, run: RunRow): Counts {
  const rows = database.rows(COUNT_BY_STATUS, run.number);
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

/** Most frequent first. */
const COUNT_BY_CODE: Query<{ code: string; count: number }> = {
  sql: `
  select problems.code, count(*) as count
  from problems cross join items on items.run = problems.run and items.record = problems.record
  where problems.run = ? and severity = ? and ${STANDING_PROBLEM}
  group by problems.code order by count desc, problems.code`,
};

function countByCode(database: SqliteDatabase, run: RunRow, severity: Severity): Readonly<Record<string, number>> {
  const rows = database.rows(COUNT_BY_CODE, run.number, severity);
  return Object.fromEntries(rows.map(({ code, count }) => [code, count]));
}

/** README, "Exit codes": the worst wins. */
function exitCodeOf(counts: Counts): number {
  const any = (...statuses: readonly Status[]): boolean => statuses.some((status) => (counts[status] ?? 0) > 0);
  if (any("ambiguous")) return 5;
  if (any("pending", "blocked")) return 3;
  return any("invalid", "rejected", "duplicate") ? 1 : 0;
}
