import { PLAN_ATTEMPT, type RecordProblems } from "../../records/stored-problem.ts";
import { problemRows } from "../../tables/problems.ts";
import { columnsOf } from "../postgres-tables.ts";
import type { Queries } from "../queries.ts";

interface AttemptProblems extends RecordProblems {
  /** Default: the problems belong to the plan. */
  readonly attempt?: number;
}

/** Inserts problems, for records that have no such problems yet, with a single statement. */
export async function insertProblems(
  queries: Queries,
  run: number,
  records: readonly AttemptProblems[],
): Promise<void> {
  const rows = records.flatMap((record) =>
    problemRows([record]).map((row) => [record.attempt ?? PLAN_ATTEMPT, ...row]),
  );
  if (rows.length > 0) await queries.run(INSERT_PROBLEMS, run, ...columnsOf(rows));
}

const INSERT_PROBLEMS = `
  insert into migrate.problems (run, attempt, record, position, severity, code, problem)
  select $1::int, found.* from unnest($2::int[], $3::int[], $4::int[], $5::text[], $6::text[], $7::text[]) as found`;
