import type { Problem } from "./problem.ts";

/** Number of problems per record that are kept regardless of their kind. */
export const MAX_PROBLEMS = 100;

/**
 * Adds a problem to the problems of one record. Keeps the first 100 problems, then one problem of each further kind
 * (code and severity), up to another 100 in total. Counts every other problem in the `unlisted` member of the last kept
 * problem of the same kind. If no problem of that kind was kept, counts it in the last kept problem.
 */
export function addProblem<Kept extends CountedProblem>(kept: Kept[], problem: Kept): void {
  const isSameKind = ({ code, severity }: Kept): boolean => code === problem.code && severity === problem.severity;
  const last = kept.length < MAX_PROBLEMS ? -1 : kept.findLastIndex(isSameKind);
  const isFull = kept.length >= (last < 0 ? 2 * MAX_PROBLEMS : MAX_PROBLEMS);
  const index = last < 0 ? kept.length - 1 : last;
  const counted = kept[index];
  if (!isFull || counted === undefined) kept.push(problem);
  else kept[index] = { ...counted, unlisted: (counted.unlisted ?? 0) + 1 + (problem.unlisted ?? 0) };
}

/** Returns the same array if it is within the limit for one record. */
export function limitProblems<Kept extends CountedProblem>(problems: readonly Kept[]): readonly Kept[] {
  if (problems.length <= MAX_PROBLEMS) return problems;
  const kept: Kept[] = [];
  for (const problem of problems) addProblem(kept, problem);
  return kept;
}

/** Whether some errors are counted but not listed. If so, the attrs of the unlisted errors are unknown. */
export function hasUnlistedErrors(problems: readonly CountedProblem[]): boolean {
  return problems.some(({ severity, unlisted }) => severity === "error" && unlisted !== undefined);
}

type CountedProblem = Pick<Problem, "code" | "severity" | "unlisted">;
