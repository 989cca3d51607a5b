import type { Problem } from "../../model/problem.ts";

/** The problems of the plan stand as those of attempt 0. */
export const PLAN_ATTEMPT = 0;

/** A problem as it is kept: the value that it was found in is never stored. */
export function storedProblem(problem: Problem): string {
  return JSON.stringify(problem.value === undefined ? problem : { ...problem, value: undefined });
}

export function parseProblem(text: string): Problem {
  const problem: Problem = JSON.parse(text);
  return problem;
}
