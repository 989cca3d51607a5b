import type { Problem } from "../../model/problem.ts";
import { storedValue } from "./stored-value.ts";

export interface RecordProblems {
  readonly record: number;
  readonly problems: readonly Problem[];
}

/** The attempt number under which problems of the plan are stored. */
export const PLAN_ATTEMPT = 0;

/** Returns the stored form of a problem, without its value. */
export function storedProblem(problem: Problem): string {
  return JSON.stringify(problem.value === undefined ? problem : { ...problem, value: undefined });
}

export function parseProblem(text: string): Problem {
  return storedValue((): Problem => JSON.parse(text));
}
