import type { Problem } from "./problem.ts";

/** The most problems of one record that are kept one by one. */
export const MAX_PROBLEMS = 100;

/**
 * Adds a problem to those of one record. Beyond the first 100, one problem of each further kind (code and severity) is
 * kept, at most another 100 in all; the rest are counted in `unlisted` of the last kept problem of their kind.
 */
export function addProblem<Kept extends CountedProblem>(kept: Kept[], problem: Kept): void {
  const last = kept.length < MAX_PROBLEMS ? -1 : kept.findLastIndex((one) => isSameKind(one, problem));
  const isFull = kept.length >= (last < 0 ? 2 * MAX_PROBLEMS : MAX_PROBLEMS);
  if (!isFull) {
    kept.push(problem);
    return;
  }
  const index = last < 0 ? kept.length - 1 : last;
  const counted = kept[index];
  if (counted === undefined) return;
  kept[index] = { ...counted, unlisted: (counted.unlisted ?? 0) + 1 + (problem.unlisted ?? 0) };
}

/** The problems themselves where they are no more than a record keeps. */
export function limitProblems<Kept extends CountedProblem>(problems: readonly Kept[]): readonly Kept[] {
  if (problems.length <= MAX_PROBLEMS) return problems;
  const kept: Kept[] = [];
  for (const problem of problems) addProblem(kept, problem);
  return kept;
}

/** True when there are errors that are counted and not listed: nobody can tell which attrs are right. */
export function hasUnlistedErrors(problems: readonly CountedProblem[]): boolean {
  return problems.some(({ severity, unlisted }) => severity === "error" && unlisted !== undefined);
}

type CountedProblem = Pick<Problem, "code" | "severity" | "unlisted">;

function isSameKind(one: CountedProblem, other: CountedProblem): boolean {
  return one.code === other.code && one.severity === other.severity;
}
