import { PLAN_ATTEMPT, type RecordProblems, storedProblem } from "../records/stored-problem.ts";
import type { EachStatement, Tables, Work } from "./tables.ts";

/** SQL condition for current problems: problems of the plan and of the latest attempt. Uses `problems` and `items`. */
export const CURRENT_PROBLEM: string = "(problems.attempt = 0 or problems.attempt = items.attempt)";

export function* appendPlanProblems(tables: Tables, run: number, records: readonly RecordProblems[]): Work<void> {
  yield* tables.runEach(APPEND_PROBLEM, run, problemRows(records));
}

/** Returns a row for each problem: record, position among the problems of the record, severity, code and problem. */
export function problemRows(records: readonly RecordProblems[]): readonly (readonly (string | number)[])[] {
  return records.flatMap(({ record, problems }) =>
    problems.map((problem, position) => [record, position, problem.severity, problem.code, storedProblem(problem)]),
  );
}

/**
 * Parameter 3 is the position among the added problems of the record. SQLite does not use it, because it inserts the
 * problems one by one.
 */
const APPEND_PROBLEM: EachStatement = {
  sqlite: `
    insert into problems (run, record, attempt, position, severity, code, problem)
    select $1, $2, ${PLAN_ATTEMPT}, coalesce(max(position) + 1, 0), $4, $5, $6
    from problems where run = $1 and record = $2 and attempt = ${PLAN_ATTEMPT}`,
  postgres: `
    insert into migrate.problems (run, record, attempt, position, severity, code, problem)
    select $1::int, found.record, ${PLAN_ATTEMPT}, coalesce(known.last + 1, 0) + found.position, severity, code, problem
    from unnest($2::int[], $3::int[], $4::text[], $5::text[], $6::text[])
      as found (record, position, severity, code, problem)
    left join lateral (
      select max(position) as last from migrate.problems as earlier
      where earlier.run = $1::int and earlier.record = found.record and earlier.attempt = ${PLAN_ATTEMPT}
    ) as known on true`,
};
