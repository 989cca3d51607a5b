import { attrPattern } from "../../json/attr.ts";
import type { Outcome } from "../../model/outcome.ts";
import type { Place } from "../../model/place.ts";
import type { Problem, Severity } from "../../model/problem.ts";
import type { Writable } from "../../model/writable.ts";
import { shownShape } from "../problems/problem-text.ts";

interface CountedCause {
  readonly code: string;
  /** The attr, with `*` instead of each list index. */
  readonly attr: string;
  readonly severity: Severity;
  readonly by: Problem["by"];
  /** The first problem, which provides the wording. */
  readonly first: Problem;
  readonly count: number;
  /** Number of problems whose shapes first occurred after the limit was reached. */
  readonly otherShapes: number;
}

/**
 * Problems that probably have the same cause: the same severity, origin, code and expected type at the same field of
 * any item.
 */
export interface Cause extends CountedCause {
  /** Shapes of the values, most frequent first. */
  readonly shapes: readonly ShapeCount[];
}

export interface ShapeCount {
  /**
   * Absent if there is no value, for example for a missing field. If the value looks like a code (`found`), the shape
   * is the value itself in quotation marks.
   */
  readonly shape?: string;
  readonly count: number;
  readonly example: { readonly record: number; readonly place: Place; readonly value?: string };
}

/**
 * The causes: errors before warnings, most frequent first. `others` counts the problems whose causes first occurred
 * after the limit on shapes was reached.
 */
export interface Causes {
  readonly causes: readonly Cause[];
  readonly others: number;
}

/** Maximum number of shapes in all causes together. Limits memory use for any input. */
const MAX_SHAPES_IN_ALL = 1000;

/** Groups all problems of the outcomes by cause (`causeKey`) and, within a cause, by the shape of the value. */
export async function collectCauses(outcomes: AsyncIterable<readonly Outcome[]>): Promise<Causes> {
  const groups: CauseGroups = { byCause: new Map(), size: 0, others: 0 };
  for await (const batch of outcomes) {
    for (const outcome of batch) for (const problem of outcome.problems) addProblem(groups, outcome, problem);
  }
  const causes = [...groups.byCause.values()].map(({ shapes, ...cause }) => ({
    ...cause,
    shapes: [...shapes.values()].toSorted((a, b) => b.count - a.count),
  }));
  return { causes: causes.toSorted((a, b) => errorsFirst(a, b) || b.count - a.count), others: groups.others };
}

/** Returns a key that is the same for problems that probably have the same cause. */
export function causeKey(problem: Problem): string {
  const { severity, by, code, attr } = problem;
  const expected = problem.code === "invalid" && "expected" in problem ? ` ${problem.expected}` : "";
  return `${severity} ${by} ${code} ${attrPattern(attr)}${expected}`;
}

interface CauseGroups {
  readonly byCause: Map<string, MutableCause>;
  size: number;
  others: number;
}

interface MutableCause extends Writable<CountedCause> {
  readonly shapes: Map<string, Writable<ShapeCount>>;
}

function addProblem(groups: CauseGroups, outcome: Outcome, problem: Problem): void {
  const { code, severity, by, unlisted = 0 } = problem;
  const shape = shownShape(problem);
  const count = 1 + unlisted;
  const key = causeKey(problem);
  const full = groups.size >= MAX_SHAPES_IN_ALL;
  let cause = groups.byCause.get(key);
  if (cause === undefined) {
    if (full) {
      groups.others += count;
      return;
    }
    const attr = attrPattern(problem.attr);
    cause = { code, attr, severity, by, first: problem, count: 0, otherShapes: 0, shapes: new Map() };
    groups.byCause.set(key, cause);
  }
  cause.count += count;
  // The shapes of unlisted problems are unknown, so the problems are counted with the shape of the listed problem.
  const known = cause.shapes.get(shape ?? "");
  if (known !== undefined) known.count += count;
  else if (full) cause.otherShapes += count;
  else {
    groups.size += 1;
    const { place = outcome.source, value } = problem;
    const example = { record: outcome.record, place, ...(value !== undefined && { value }) };
    cause.shapes.set(shape ?? "", { ...(shape !== undefined && { shape }), count, example });
  }
}

/** Compares the severities of causes, to sort errors before warnings. */
export function errorsFirst(a: { readonly severity: Severity }, b: { readonly severity: Severity }): number {
  return Number(a.severity === "warning") - Number(b.severity === "warning");
}
