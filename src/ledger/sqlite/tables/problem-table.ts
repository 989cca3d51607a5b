import type { Problem } from "../../../model/problem.ts";
import { PLAN_ATTEMPT, storedProblem } from "../../records/stored-problem.ts";
import type { SqliteDatabase, SqlValue } from "../sqlite-database.ts";

interface RecordProblems {
  readonly record: number;
  readonly problems: readonly Problem[];
}

/** Several rows at a time: extracts may have a problem in every row. */
export function insertProblems(
  database: SqliteDatabase,
  { run, attempt }: { readonly run: number; readonly attempt: number },
  records: readonly RecordProblems[],
): void {
  const rows = records.flatMap(({ record, problems }) =>
    problems.map((problem, position) => [record, position, ...problemValues(problem)]),
  );
  let done = 0;
  for (const size of ROWS_AT_ONCE) {
    for (; rows.length - done >= size; done += size) {
      database.run(INSERT_PROBLEMS[size], run, attempt, ...rows.slice(done, done + size).flat());
    }
  }
}

const ROWS_AT_ONCE = [200, 10, 1] as const;
const INSERT_PROBLEMS = { 200: insertSql(200), 10: insertSql(10), 1: insertSql(1) } as const;

/** Parameters 1 and 2 are the run and the attempt of every row. */
function insertSql(rows: number): string {
  return `insert into problems (run, attempt, record, position, severity, code, problem)
    values ${Array.from({ length: rows }, () => "(?1, ?2, ?, ?, ?, ?, ?)").join(", ")}`;
}

/** Adds a problem to the plan. */
export function appendPlanProblem(
  database: SqliteDatabase,
  item: { readonly run: number; readonly record: number },
  problem: Problem,
): void {
  database.run(
    `insert into problems (run, record, attempt, position, severity, code, problem)
     select ?1, ?2, ${PLAN_ATTEMPT}, coalesce(max(position) + 1, 0), ?3, ?4, ?5
     from problems where run = ?1 and record = ?2 and attempt = ${PLAN_ATTEMPT}`,
    item.run,
    item.record,
    ...problemValues(problem),
  );
}

function problemValues(problem: Problem): readonly SqlValue[] {
  return [problem.severity, problem.code, storedProblem(problem)];
}
