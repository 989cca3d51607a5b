import type { Outcome, Summary } from "../../../model/outcome.ts";
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
import { normalKey, SQL_NORMAL_KEY } from "../../../text/near-key.ts";
import { readKey, writtenKey } from "../written-key.ts";
import { countsOf } from "./count-rows.ts";
import type { RunRow } from "../postgres-schema.ts";
import type { PostgresValue, Queries, Statement } from "../queries.ts";

/**
 * The status shown for an item. A record in flight may have been processed. The same is true of a record left to send
 * if an earlier request had no clear reply. Uses `items` and `perhaps`.
 */
function shownStatus(sending: SendingStatus): string {
  return `case when items.status = 'sending' then '${sending}' when perhaps.identity is not null then 'ambiguous'
    else items.status end`;
}

const ITEMS = `migrate.items left join migrate.records as perhaps
  on items.status = 'pending' and perhaps.identity = items.identity and perhaps.state = 'ambiguous'`;

/** Current problems: problems of the plan and of the latest attempt. Uses `problems` and `items`. */
const STANDING_PROBLEM = "(problems.attempt = 0 or problems.attempt = items.attempt)";

export async function summary(queries: Queries, run: RunRow, sending: SendingStatus): Promise<Summary> {
  const counts = await countByStatus(queries, run, sending);
  return {
    records: Object.values(counts).reduce((sum, count) => sum + count, 0),
    counts,
    errors: await countsOf(queries, run.number, "error"),
    warnings: await countsOf(queries, run.number, "warning"),
    exitCode: exitCodeOf(counts),
  };
}

/** Counts items by the status that `shownStatus` selects. */
async function countByStatus(queries: Queries, run: RunRow, sending: SendingStatus): Promise<Counts> {
  const { sending: inFlight = 0, pending = 0, ...others } = await countsOf(queries, run.number, "status");
  const resent = pending === 0 ? 0 : await countResent(queries, run);
  const shown: Record<string, number> = { ...others, pending: pending - resent };
  shown["ambiguous"] = (others["ambiguous"] ?? 0) + resent;
  shown[sending] = (shown[sending] ?? 0) + inFlight;
  return Object.fromEntries(Object.entries(shown).filter(([, count]) => count > 0));
}

/** The number of records left to send whose earlier request had no clear reply. */
async function countResent(queries: Queries, { number }: RunRow): Promise<number> {
  const { own = 0, others = false } = (await queries.row(COUNT_OWN, number)) ?? {};
  // Some are ambiguous because of another run or a recovery, so all records left to send are examined.
  return others ? ((await queries.row(COUNT_RESENT, number))?.count ?? 0) : own;
}

/** Reads the ambiguous requests. If a request made a record ambiguous, the record's last request is one of them. */
const COUNT_OWN: Statement<{ own: number; others: boolean }> = {
  sql: `
  with open as materialized (
    select attempts.run, attempts.record from migrate.attempts join migrate.records on records.identity = attempts.identity
    where attempts.status = 'ambiguous' and attempts.attempt = records.attempts and records.state = 'ambiguous'
  )
  select exists (select from open where run <> $1)
      or exists (select from migrate.recoveries where uncertain) as others, (
    select count(*) from open join migrate.items on items.run = open.run and items.record = open.record
    where open.run = $1 and items.status = 'pending'
  ) as own`,
};

const COUNT_RESENT: Statement<{ count: number }> = {
  sql: `
  select count(*) as count from migrate.items join migrate.records on records.identity = items.identity
  where items.run = $1 and items.status = 'pending' and records.state = 'ambiguous'`,
};

const BATCH = 1000;

/** The outcomes of a run in input order, in batches. Reads only records that match the filter. */
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

/** The largest number that the column can store. */
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

/** Its values start at parameter 4. */
function condition(
  filter: OutcomeFilter,
  status: string,
): { readonly sql: string; readonly values: readonly PostgresValue[] } {
  const { statuses, key, nearKey: near } = filter;
  const asked = [
    { sql: `${status} = any(?)`, value: statuses },
    { sql: "items.key = ?", value: key === undefined ? undefined : writtenKey(key) },
    {
      sql: `${SQL_NORMAL_KEY} = ?`,
      value: near === undefined ? undefined : writtenKey(normalKey(near)),
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

/** The contents of the planned records of a run, by record number. */
export async function contents(
  queries: Queries,
  run: RunRow,
  range: { readonly from: number; readonly to: number },
): Promise<ReadonlyMap<number, Uint8Array>> {
  const rows = await queries.rows(SELECT_CONTENTS, run.number, range.from, range.to);
  return new Map(rows.map(({ record, content }) => [record, content]));
}

/** A SHA-256 has 32 bytes. The shorter fast hashes have no meaning outside the ledger. */
const SELECT_CONTENTS: Statement<{ record: number; content: Uint8Array }> = {
  sql: `select record, content from migrate.items
    where run = $1 and record between $2 and $3 and octet_length(content) = 32`,
};
