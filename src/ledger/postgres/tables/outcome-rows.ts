import type { Outcome, Summary } from "../../../model/outcome.ts";
import type { Severity } from "../../../model/problem.ts";
import type { OutcomeFilter } from "../../ledger.ts";
import { exitCodeOf } from "../../records/record-exit-code.ts";
import {
  type Counts,
  type ItemColumns,
  type ProblemColumns,
  problemsByRecord,
  type SendingStatus,
  toOutcome,
} from "../../runs/run-outcome.ts";
import { nearKey } from "../../../text/near-key.ts";
import { readKey, writtenKey } from "../written-key.ts";
import type { RunRow } from "../postgres-schema.ts";
import type { PostgresValue, Queries, Statement } from "../queries.ts";

/**
 * The status that an item shows: what was in flight may have been processed, and so may what is to be sent again because
 * an earlier request had no clear answer. Over `items` and `perhaps`.
 */
function shownStatus(sending: SendingStatus): string {
  return `case when items.status = 'sending' then '${sending}' when perhaps.identity is not null then 'ambiguous'
    else items.status end`;
}

const ITEMS = `migrate.items left join migrate.records as perhaps
  on items.status = 'pending' and perhaps.identity = items.identity and perhaps.state = 'ambiguous'`;

/** The problems that stand: those of the plan and of the latest attempt. Over `problems` and `items`. */
const STANDING_PROBLEM = "(problems.attempt = 0 or problems.attempt = items.attempt)";

export async function summary(queries: Queries, run: RunRow, sending: SendingStatus): Promise<Summary> {
  const counts = await countByStatus(queries, run, sending);
  return {
    records: Object.values(counts).reduce((sum, count) => sum + count, 0),
    counts,
    errors: await countByCode(queries, run, "error"),
    warnings: await countByCode(queries, run, "warning"),
    exitCode: exitCodeOf(counts),
  };
}

async function countByStatus(queries: Queries, run: RunRow, sending: SendingStatus): Promise<Counts> {
  const statement: Statement<{ status: string; count: number }> = {
    sql: `
    select status, count(*) as count
    from (select ${shownStatus(sending)} as status from ${ITEMS} where items.run = $1) as shown
    group by status order by status collate "C"`,
  };
  const rows = await queries.rows(statement, run.number);
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

/** How many more problems stand behind one that is kept. */
const UNLISTED = `coalesce(substring(problem from '"unlisted":([0-9]+)')::int, 0)`;

/** Most frequent first. */
const COUNT_BY_CODE: Statement<{ code: string; count: number }> = {
  sql: `
  select problems.code, sum(1 + ${UNLISTED})::bigint as count
  from migrate.problems join migrate.items on items.run = problems.run and items.record = problems.record
  where problems.run = $1 and severity = $2 and ${STANDING_PROBLEM}
  group by problems.code order by count desc, problems.code`,
};

async function countByCode(
  queries: Queries,
  run: RunRow,
  severity: Severity,
): Promise<Readonly<Record<string, number>>> {
  const rows = await queries.rows(COUNT_BY_CODE, run.number, severity);
  return Object.fromEntries(rows.map(({ code, count }) => [code, count]));
}

const BATCH = 1000;

/** A run's outcomes in input order, in batches; what the filter leaves out is not read. */
export async function* outcomes(
  queries: Queries,
  { run, sending }: { readonly run: RunRow; readonly sending: SendingStatus },
  filter: OutcomeFilter = {},
): AsyncGenerator<readonly Outcome[]> {
  const status = shownStatus(sending);
  const chosen = condition(filter, status);
  const itemQuery: Statement<ItemColumns> = {
    sql: `${selectItems(status)} and ${chosen.sql} order by items.record limit ${BATCH}`,
  };
  const problemQuery: Statement<ProblemColumns> = {
    sql: `${SELECT_PROBLEMS} and ${chosen.sql} order by problems.record, problems.attempt, position`,
  };
  for (let last = 0; ;) {
    const items = await queries.rows(itemQuery, run.number, last, MAX_RECORD, ...chosen.values);
    const end = items.at(-1)?.record;
    if (end === undefined) return;
    const problems = problemsByRecord(await queries.rows(problemQuery, run.number, last, end, ...chosen.values));
    yield items.map((item) => toOutcome({ ...item, key: readKey(item.key) }, problems.get(item.record) ?? []));
    if (items.length < BATCH) return;
    last = end;
  }
}

/** The greatest number that the column holds. */
const MAX_RECORD = 2_147_483_647;

function selectItems(status: string): string {
  return `
  select items.record, items.key, files.name as file, items.line, ${status} as status,
    items.http, items.attempts, items.account, items.duration_ms as "durationMs"
  from ${ITEMS} join migrate.files on files.id = items.file
  where items.run = $1 and items.record > $2 and items.record <= $3`;
}

const SELECT_PROBLEMS = `
  select problems.record, problem
  from ${ITEMS} join migrate.problems on problems.run = items.run and problems.record = items.record
  where items.run = $1 and items.record > $2 and items.record <= $3 and ${STANDING_PROBLEM}`;

/** Its values begin with the fourth parameter. */
function condition(
  filter: OutcomeFilter,
  status: string,
): { readonly sql: string; readonly values: readonly PostgresValue[] } {
  const { statuses, key, nearKey: near } = filter;
  const asked = [
    { sql: `${status} = any(?)`, value: statuses },
    { sql: "items.key = ?", value: key === undefined ? undefined : writtenKey(key) },
    {
      sql: "coalesce(items.near, items.key) = ?",
      value: near === undefined ? undefined : writtenKey(nearKey(near) ?? near),
    },
  ];
  const values: PostgresValue[] = [];
  const parts = ["true"];
  for (const { sql, value } of asked) {
    if (value === undefined) continue;
    values.push(value);
    parts.push(sql.replace("?", `$${values.length + 3}`));
  }
  return { sql: parts.join(" and "), values };
}

/** The contents of the records that a run planned, by their numbers. */
export async function contents(
  queries: Queries,
  run: RunRow,
  range: { readonly from: number; readonly to: number },
): Promise<ReadonlyMap<number, Uint8Array>> {
  const rows = await queries.rows(SELECT_CONTENTS, run.number, range.from, range.to);
  return new Map(rows.map(({ record, content }) => [record, content]));
}

/** 32 bytes: a sha256. A dry run may have shorter ones, which nobody else can compute. */
const SELECT_CONTENTS: Statement<{ record: number; content: Uint8Array }> = {
  sql: `select record, content from migrate.items
    where run = $1 and record between $2 and $3 and octet_length(content) = 32`,
};
