import type { Outcome, Summary } from "../../model/outcome.ts";
import { normalKey, SQL_NORMAL_KEY } from "../../text/near-key.ts";
import { MAX_RECORD } from "../ledger.ts";
import type { OutcomeFilter } from "../records/run.ts";
import { exitCodeOf } from "../records/record-exit-code.ts";
import type { RunRow } from "../runs/recorded-run.ts";
import {
  type Counts,
  type ItemColumns,
  type ProblemColumns,
  problemsByRecord,
  type SendingStatus,
  toOutcome,
} from "../runs/run-outcome.ts";
import { countsOf, NOTED_SCHEDULED } from "./counts.ts";
import { CURRENT_PROBLEM } from "./problems.ts";
import { HAS_RECOVERY } from "./recoveries.ts";
import { exists, type Statement, statement, type Tables, type TableValue, type Work } from "./tables.ts";

export function* summary(tables: Tables, run: RunRow, sending: SendingStatus): Work<Summary> {
  const counts = yield* countByStatus(tables, run, sending);
  return {
    records: Object.values(counts).reduce((sum, count) => sum + count, 0),
    counts,
    errors: yield* countsOf(tables, run.number, "error"),
    warnings: yield* countsOf(tables, run.number, "warning"),
    exitCode: exitCodeOf(counts),
  };
}

/** Counts items by the status that `shownStatus` selects. */
function* countByStatus(tables: Tables, run: RunRow, sending: SendingStatus): Work<Counts> {
  const { sending: inFlight = 0, pending = 0, ...others } = yield* countsOf(tables, run.number, "status");
  const resent = pending === 0 ? 0 : yield* countResent(tables, run);
  const shown: Record<string, number> = { ...others, pending: pending - resent };
  shown["ambiguous"] = (others["ambiguous"] ?? 0) + resent;
  shown[sending] = (shown[sending] ?? 0) + inFlight;
  return Object.fromEntries(Object.entries(shown).filter(([, count]) => count > 0));
}

/** Returns the number of records left to send that had an earlier request without a clear reply. */
function* countResent(tables: Tables, { number }: RunRow): Work<number> {
  if (tables.dialect === "sqlite" && !(yield* exists(tables, ANY_AMBIGUOUS))) return 0;
  const { own = 0, others = false } = (yield* tables.row(COUNT_OWN, number)) ?? {};
  // If another run, a recovery or a plan has made records ambiguous, all records left to send must be checked.
  return others ? ((yield* tables.row(COUNT_RESENT, number))?.count ?? 0) : own;
}

const ANY_AMBIGUOUS = "select 1 as found from migrate.records where state = 'ambiguous' limit 1";

/**
 * `own`: number of the run's pending records whose last request is ambiguous. `others`: whether another run, a recovery
 * or a plan may have made any record ambiguous. A request that made a record ambiguous is always the record's last
 * request.
 */
const COUNT_OWN = statement<{ own: number; others: boolean | 0 | 1 }>({
  sqlite: `
    select (select count(*) from records where state = 'ambiguous') <> count(*) as others,
      coalesce(sum(items.status = 'pending'), 0) as own
    from attempts indexed by attempts_ambiguous
    cross join records on records.identity = attempts.identity
    cross join items on items.run = attempts.run and items.record = attempts.record
    where attempts.status = 'ambiguous' and attempts.run = $1 and attempts.attempt = records.attempts
      and records.state = 'ambiguous'`,
  postgres: `
    with open as materialized (
      select attempts.run, attempts.record
      from migrate.attempts join migrate.records on records.identity = attempts.identity
      where attempts.status = 'ambiguous' and attempts.attempt = records.attempts and records.state = 'ambiguous'
    )
    select exists (select from open where run <> $1) or ${HAS_RECOVERY}
      or exists (select from migrate.counts where kind = '${NOTED_SCHEDULED}') as others, (
      select count(*) from open join migrate.items on items.run = open.run and items.record = open.record
      where open.run = $1 and items.status = 'pending'
    ) as own`,
});

const COUNT_RESENT = statement<{
  count: number;
}>(`select count(*) as count from migrate.items /*+ indexed by items_open */
    where run = $1 and status = 'pending'
      and identity in (select identity from migrate.records where state = 'ambiguous')`);

/**
 * Returns SQL for the status that is shown for an item. A record in flight may have been processed, and so may a record
 * left to send if an earlier request had no clear reply. Uses `items` and, on PostgreSQL, `unresolved`. On SQLite,
 * looking up a few records is faster than joining all of them.
 */
function shownStatus(tables: Tables, sending: SendingStatus): string {
  const isAmbiguous =
    tables.dialect === "postgres"
      ? "unresolved.identity is not null"
      : `items.status = 'pending' and exists (
          select 1 from records where records.identity = items.identity and state = 'ambiguous')`;
  return `case when items.status = 'sending' then '${sending}' when ${isAmbiguous} then 'ambiguous'
    else items.status end`;
}

function ambiguousJoin(tables: Tables): string {
  if (tables.dialect === "sqlite") return "";
  return `left join migrate.records as unresolved
    on items.status = 'pending' and unresolved.identity = items.identity and unresolved.state = 'ambiguous'`;
}

const BATCH = { sqlite: 500, postgres: 1000 } as const;

/** A query that reads outcomes in input order, and the values of its filter. */
export interface OutcomeQuery {
  readonly items: Statement<ItemColumns>;
  readonly problems: Statement<ProblemColumns>;
  readonly values: readonly TableValue[];
}

export function outcomeQuery(tables: Tables, sending: SendingStatus, filter: OutcomeFilter = {}): OutcomeQuery {
  const status = shownStatus(tables, sending);
  const unresolved = ambiguousJoin(tables);
  const { condition, values } = conditionOf(tables, filter, status);
  const within = (table: string): string =>
    `${table}.run = $1 and ${table}.record > $2 and ${table}.record <= $3 and ${condition}`;
  return {
    items: statement(`
      select items.record, items.key, files.name as file, items.line, ${status} as status,
        items.http, items.attempts, items.account, items.duration_ms as "durationMs"
      from migrate.items inner join migrate.files on files.id = items.file ${unresolved}
      where ${within("items")} order by items.record limit ${BATCH[tables.dialect]}`),
    problems: statement(`
      select problems.record, problem
      from migrate.problems inner join migrate.items on items.run = problems.run and items.record = problems.record
        ${unresolved}
      where ${within("problems")} and ${CURRENT_PROBLEM} order by problems.record, problems.attempt, position`),
    values,
  };
}

/** Returns the SQL condition of a filter, and its values, which start at parameter 4. */
function conditionOf(
  tables: Tables,
  { statuses, key, nearKey }: OutcomeFilter,
  status: string,
): { readonly condition: string; readonly values: readonly TableValue[] } {
  const asked = [
    { sql: (value: string) => `${status} = any(${value})`, value: statuses },
    { sql: (value: string) => `items.key = ${value}`, value: key && tables.writtenKey(key) },
    { sql: (value: string) => `${SQL_NORMAL_KEY} = ${value}`, value: nearKey && tables.writtenKey(normalKey(nearKey)) },
  ];
  const values: TableValue[] = [];
  const parts = ["true"];
  for (const { sql, value } of asked) {
    if (value === undefined) continue;
    values.push(value);
    parts.push(sql(`$${values.length + 3}`));
  }
  return { condition: parts.join(" and "), values };
}

/**
 * Returns the next outcomes after the record with this number, and whether these outcomes are the last ones. Reads only
 * records that match the filter.
 */
export function* nextOutcomes(
  tables: Tables,
  run: RunRow,
  { items: itemQuery, problems: problemQuery, values }: OutcomeQuery,
  after: number,
): Work<{ readonly outcomes: readonly Outcome[]; readonly isLast: boolean }> {
  const items = yield* tables.rows(itemQuery, run.number, after, MAX_RECORD, ...values);
  const end = items.at(-1)?.record;
  if (end === undefined) return { outcomes: [], isLast: true };
  const problems = problemsByRecord(yield* tables.rows(problemQuery, run.number, after, end, ...values));
  const outcomes = items.map((item) => toOutcome(item, problems.get(item.record) ?? [], tables.readKey(item.key)));
  return { outcomes, isLast: items.length < BATCH[tables.dialect] };
}

export function* contents(
  tables: Tables,
  run: RunRow,
  from: number,
  to: number,
): Work<ReadonlyMap<number, Uint8Array>> {
  const rows = yield* tables.rows(SELECT_CONTENTS, run.number, from, to);
  return new Map(rows.map(({ record, content }) => [record, content]));
}

export function* plannedKeys(tables: Tables, run: RunRow, from: number, to: number): Work<readonly string[]> {
  const rows = yield* tables.rows(SELECT_KEYS, run.number, from, to);
  return rows.map(({ key }) => tables.readKey(key));
}

const SELECT_KEYS = statement<{ key: string }>(
  "select key from migrate.items where run = $1 and record between $2 and $3 and identity is not null",
);

/** Selects SHA-256 hashes, which have 32 bytes. The shorter fast hashes have no meaning outside the ledger. */
const SELECT_CONTENTS = statement<{ record: number; content: Uint8Array }>(
  "select record, content from migrate.items where run = $1 and record between $2 and $3 and length(content) = 32",
);
