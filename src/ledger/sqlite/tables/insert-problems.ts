import { type RecordProblems, storedProblem } from "../../records/stored-problem.ts";
import type { SqliteDatabase } from "../sqlite-database.ts";

/** Inserts several rows per statement, because extracts may have a problem in every row. */
export function insertProblems(
  database: SqliteDatabase,
  { run, attempt }: { readonly run: number; readonly attempt: number },
  records: readonly RecordProblems[],
): void {
  const rows = records.flatMap(({ record, problems }) =>
    problems.map((problem, position) => [record, position, problem.severity, problem.code, storedProblem(problem)]),
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
