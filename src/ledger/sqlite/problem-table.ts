import type { Place } from "../../model/place.ts";
import type { Problem } from "../../model/problem.ts";
import type { PlanPolicy } from "../ledger.ts";
import type { SqliteDatabase, SqlValue } from "./sqlite-database.ts";

/** The problems of the plan stand as those of attempt 0. */
export const PLAN_ATTEMPT = 0;

interface ProblemOwner {
  readonly run: number;
  readonly record: number;
  readonly attempt: number;
}

export function insertProblems(database: SqliteDatabase, owner: ProblemOwner, problems: readonly Problem[]): void {
  for (const [position, problem] of problems.entries()) {
    database.run(
      "insert into problems (run, record, attempt, position, severity, code, problem) values (?, ?, ?, ?, ?, ?, ?)",
      owner.run,
      owner.record,
      owner.attempt,
      position,
      ...problemValues(problem),
    );
  }
}

/** Adds a problem to those of the plan. */
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

export function parseProblem(text: string): Problem {
  const problem: Problem = JSON.parse(text);
  return problem;
}

/** The value that a problem was found in is never stored. */
function problemValues(problem: Problem): readonly SqlValue[] {
  const stored = problem.value === undefined ? problem : { ...problem, value: undefined };
  return [problem.severity, problem.code, JSON.stringify(stored)];
}

/** Where an item's key stands: its line, and the key's column where the file has one. */
export function keyPlace(policy: PlanPolicy, file: string, line: number): Place {
  return { file, line, ...policy.keyColumns.get(file) };
}
