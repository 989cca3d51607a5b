import type { Outcome, Summary } from "../../../model/outcome.ts";
import type { OutcomeFilter } from "../../ledger.ts";
import { exitCodeOf } from "../../records/record-exit-code.ts";
import type { RunRow } from "../ledger-schema.ts";
import { normalKey, SQL_NORMAL_KEY } from "../../../text/near-key.ts";
import {
  type Counts,
  type ItemColumns,
  type ProblemColumns,
  problemsByRecord,
  type SendingStatus,
  toOutcome,
} from "../../runs/run-outcome.ts";
import type { Query, SqliteDatabase, SqlValue } from "../sqlite-database.ts";
import { countsOf, STANDING_PROBLEM } from "./counts.ts";

/**
 * The status shown for an item. A record in flight may have been processed. The same is true of a record left to send
 * if an earlier request had no clear reply. Uses the table `items`.
 */
function shownStatus(sending: SendingStatus): string {
  return `case items.status
  when 'sending' then '${sending}'
  when 'pending' then
    (select iif(count(*) > 0, 'ambiguous', 'pending')
     from records where records.identity = items.identity and state = 'ambiguous')
  else items.status end`;
}

export function summary(database: SqliteDatabase, run: RunRow, sending: SendingStatus): Summary {
  const counts = countByStatus(database, run, sending);
  return {
    records: Object.values(counts).reduce((sum, count) => sum + count, 0),
    counts,
    errors: countsOf(database, run.number, "error"),
    warnings: countsOf(database, run.number, "warning"),
    exitCode: exitCodeOf(counts),
  };
}

/** Counts items by the status that `shownStatus` selects. */
function countByStatus(database: SqliteDatabase, run: RunRow, sending: SendingStatus): Counts {
  const { sending: inFlight = 0, pending = 0, ...others } = countsOf(database, run.number, "status");
  const resent = pending === 0 || database.row(ANY_AMBIGUOUS) === undefined ? 0 : countResent(database, run);
  const shown: Record<string, number> = { ...others, pending: pending - resent };
  shown["ambiguous"] = (others["ambiguous"] ?? 0) + resent;
  shown[sending] = (shown[sending] ?? 0) + inFlight;
  return Object.fromEntries(Object.entries(shown).filter(([, count]) => count > 0));
}

/** The number of records left to send whose earlier request had no clear reply. */
function countResent(database: SqliteDatabase, { number }: RunRow): number {
  const own = database.row(COUNT_OWN, number);
  // If all are ambiguous because of this run, their requests identify them. Otherwise all records left to send are
  // examined.
  if (own !== undefined && own.found === own.ambiguous) return own.resent ?? 0;
  return database.row(COUNT_RESENT, number)?.count ?? 0;
}

const COUNT_OWN: Query<{ ambiguous: number; found: number; resent: number | null }> = {
  sql: `
  select (select count(*) from records where state = 'ambiguous') as ambiguous,
    count(*) as found, sum(items.status = 'pending') as resent
  from attempts indexed by attempts_ambiguous
  cross join records on records.identity = attempts.identity
  cross join items on items.run = attempts.run and items.record = attempts.record
  where attempts.status = 'ambiguous' and attempts.run = ? and attempts.attempt = records.attempts
    and records.state = 'ambiguous'`,
};

const ANY_AMBIGUOUS: Query<{ found: 1 }> = {
  sql: "select 1 as found from records where state = 'ambiguous' limit 1",
};

const COUNT_RESENT: Query<{ count: number }> = {
  sql: `select count(*) as count from items indexed by items_open
    where run = ? and status = 'pending' and identity in (select identity from records where state = 'ambiguous')`,
};

const BATCH = 500;

/** The outcomes of a run in input order, in batches. Reads only records that match the filter. */
export async function* outcomes(
  database: SqliteDatabase,
  { run, sending }: { readonly run: RunRow; readonly sending: SendingStatus },
  filter: OutcomeFilter = {},
): AsyncGenerator<readonly Outcome[]> {
  const status = shownStatus(sending);
  const chosen = condition(filter, status);
  const itemQuery: Query<ItemColumns> = {
    sql: `${selectItems(status)} and ${chosen.sql} order by items.record limit ${BATCH}`,
  };
  const problemQuery: Query<ProblemColumns> = {
    sql: `${SELECT_PROBLEMS} and ${chosen.sql} order by problems.record, problems.attempt, position`,
  };

  for (let last = 0; ;) {
    const items = database.rows(itemQuery, run.number, last, ...chosen.values);
    const end = items.at(-1)?.record;
    if (end === undefined) return;
    const problems = database.rows(problemQuery, run.number, last, end, ...chosen.values);
    const byRecord = problemsByRecord(problems);
    yield items.map((item) => toOutcome(item, byRecord.get(item.record) ?? []));
    if (items.length < BATCH) return;
    last = end;
  }
}

function selectItems(status: string): string {
  return `
  select items.record, items.key, files.name as file, items.line, ${status} as status,
    items.http, items.attempts, items.account, items.duration_ms as durationMs
  from items cross join files on files.id = items.file
  where items.run = ? and items.record > ?`;
}

const SELECT_PROBLEMS = `
  select problems.record, problem
  from problems cross join items on items.run = problems.run and items.record = problems.record
  where problems.run = ? and problems.record > ? and problems.record <= ? and ${STANDING_PROBLEM}`;

function condition(
  filter: OutcomeFilter,
  status: string,
): { readonly sql: string; readonly values: readonly SqlValue[] } {
  const { statuses, key, nearKey: near } = filter;
  const parts = ["true"];
  if (statuses !== undefined) parts.push(`${status} in (${statuses.map(() => "?").join(", ")})`);
  if (key !== undefined) parts.push("items.key = ?");
  if (near !== undefined) parts.push(`${SQL_NORMAL_KEY} = ?`);
  const keys = [key?.normalize("NFC"), near === undefined ? undefined : normalKey(near)];
  return {
    sql: parts.join(" and "),
    values: [...(statuses ?? []), ...keys.filter((one) => one !== undefined)],
  };
}

/** The contents of the planned records of a run, by record number. */
export function contents(
  database: SqliteDatabase,
  run: RunRow,
  range: { readonly from: number; readonly to: number },
): ReadonlyMap<number, Uint8Array> {
  const rows = database.rows(SELECT_CONTENTS, run.number, range.from, range.to);
  return new Map(rows.map(({ record, content }) => [record, content]));
}

const SELECT_CONTENTS: Query<{ record: number; content: Uint8Array }> = {
  sql: "select record, content from items where run = ? and record between ? and ? and typeof(content) = 'blob'",
};
