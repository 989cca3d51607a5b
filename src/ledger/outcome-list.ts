import type { Outcome, Status } from "../model/outcome.ts";
import type { Problem } from "../model/problem.ts";
import type { OutcomeFilter } from "./ledger.ts";
import { parseProblem } from "./problem-table.ts";
import type { RunRow } from "./run-row.ts";
import type { Query, SqliteDatabase, SqlValue } from "./sqlite-database.ts";
import { SHOWN_STATUS, STANDING_PROBLEM } from "./summary.ts";

const BATCH = 500;

/** A run's outcomes in input order, in batches; what the filter leaves out is not read. */
export async function* outcomes(
  database: SqliteDatabase,
  run: RunRow,
  filter: OutcomeFilter = {},
): AsyncGenerator<readonly Outcome[]> {
  const chosen = condition(filter);
  const itemQuery: Query<ItemRow> = {
    sql: `${SELECT_ITEMS} and ${chosen.sql} order by items.record limit ${BATCH}`,
  };
  const problemQuery: Query<ProblemRow> = {
    sql: `${SELECT_PROBLEMS} and ${chosen.sql} order by problems.record, problems.attempt, position`,
  };

  for (let last = 0; ;) {
    const items = database.rows(itemQuery, run.number, last, ...chosen.values);
    const end = items.at(-1)?.record;
    if (end === undefined) return;
    const problems = database.rows(problemQuery, run.number, last, end, ...chosen.values);
    const problemsByRecord = byRecord(problems);
    yield items.map((item) => toOutcome(item, problemsByRecord.get(item.record) ?? []));
    if (items.length < BATCH) return;
    last = end;
  }
}

const SELECT_ITEMS = `
  select items.record, items.key, files.name as file, items.line, ${SHOWN_STATUS} as status,
    items.http, items.attempts, items.account, items.duration_ms as durationMs
  from items cross join files on files.id = items.file
  where items.run = ? and items.record > ?`;

const SELECT_PROBLEMS = `
  select problems.record, problem
  from problems cross join items on items.run = problems.run and items.record = problems.record
  where problems.run = ? and problems.record > ? and problems.record <= ? and ${STANDING_PROBLEM}`;

function condition(filter: OutcomeFilter): { readonly sql: string; readonly values: readonly SqlValue[] } {
  const { statuses, key } = filter;
  const parts = ["true"];
  if (statuses !== undefined) parts.push(`${SHOWN_STATUS} in (${statuses.map(() => "?").join(", ")})`);
  if (key !== undefined) parts.push("items.key = ?");
  return {
    sql: parts.join(" and "),
    values: [...(statuses ?? []), ...(key === undefined ? [] : [key.normalize("NFC")])],
  };
}

interface ProblemRow {
  readonly record: number;
  readonly problem: string;
}

function byRecord(rows: readonly ProblemRow[]): ReadonlyMap<number, readonly Problem[]> {
  const problems = new Map<number, Problem[]>();
  for (const { record, problem } of rows) {
    const known = problems.get(record);
    if (known === undefined) problems.set(record, [parseProblem(problem)]);
    else known.push(parseProblem(problem));
  }
  return problems;
}

interface ItemRow {
  readonly record: number;
  readonly key: string | null;
  readonly file: string;
  readonly line: number;
  readonly status: Status;
  readonly http: number | null;
  readonly attempts: number | null;
  readonly account: string | null;
  readonly durationMs: number | null;
}

function toOutcome(item: ItemRow, problems: readonly Problem[]): Outcome {
  return {
    record: item.record,
    source: { file: item.file, line: item.line },
    status: item.status,
    problems,
    ...(item.key !== null && { key: item.key }),
    ...(item.http !== null && { http: item.http }),
    ...(item.attempts !== null && { attempts: item.attempts }),
    ...(item.account !== null && { account: item.account }),
    ...(item.durationMs !== null && { durationMs: item.durationMs }),
  };
}
