import { PLAN_ATTEMPT, type RecordProblems, storedProblem } from "../../records/stored-problem.ts";
import type { Queries } from "../queries.ts";

interface AttemptProblems extends RecordProblems {
  readonly attempt: number;
}

/** Inserts problems of the plan, for records that have no problems yet. */
export async function insertPlanProblems(
  queries: Queries,
  run: number,
  records: readonly RecordProblems[],
): Promise<void> {
  await insertProblems(
    queries,
    run,
    records.map((record) => ({ ...record, attempt: PLAN_ATTEMPT })),
  );
}

/** Inserts all problems with a single statement. */
export async function insertProblems(
  queries: Queries,
  run: number,
  records: readonly AttemptProblems[],
): Promise<void> {
  const found = records.filter(({ problems }) => problems.length > 0);
  if (found.length > 0) await queries.run(INSERT_PROBLEMS, run, ...columnsOf(found));
}

const INSERT_PROBLEMS = `
  insert into migrate.problems (run, record, attempt, position, severity, code, problem)
  select $1::int, found.* from unnest($2::int[], $3::int[], $4::int[], $5::text[], $6::text[], $7::text[]) as found`;

/** Returns the columns of the problems: record, attempt, position, severity, code and problem. */
function columnsOf(
  records: readonly AttemptProblems[],
): readonly [number[], number[], number[], string[], string[], string[]] {
  const columns: [number[], number[], number[], string[], string[], string[]] = [[], [], [], [], [], []];
  for (const { record, attempt, problems } of records) {
    for (const [position, problem] of problems.entries()) {
      columns[0].push(record);
      columns[1].push(attempt);
      columns[2].push(position);
      columns[3].push(problem.severity);
      columns[4].push(problem.code);
      columns[5].push(storedProblem(problem));
    }
  }
  return columns;
}
