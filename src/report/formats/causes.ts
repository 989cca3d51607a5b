import { attrPattern } from "../../json/attr.ts";
import type { Outcome } from "../../model/outcome.ts";
import type { Place } from "../../model/place.ts";
import type { Problem, Severity } from "../../model/problem.ts";
import { shownShape } from "../problems/problem-text.ts";

interface CauseFacts {
  readonly code: string;
  /** The attr, with `*` instead of each list index. */
  readonly attr: string;
  readonly severity: Severity;
  readonly by: Problem["by"];
  /** The first problem, which provides the wording. */
  readonly first: Problem;
}

/** Problems that probably have the same cause: the same severity, origin and code at the same field of any item. */
export interface Cause extends CauseFacts {
  readonly count: number;
  /** Shapes of the values, most frequent first. */
  readonly shapes: readonly ShapeCount[];
  /** Number of problems whose shapes first occurred after the limit was reached. */
  readonly otherShapes: number;
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
  return { causes: causes.toSorted(worstFirst), others: groups.others };
}

/** Returns a key that is the same for problems that probably have the same cause. */
export function causeKey({ severity, by, code, attr }: Problem): string {
  return `${severity} ${by} ${code} ${attrPattern(attr)}`;
}

interface CauseGroups {
  readonly byCause: Map<string, MutableCause>;
  size: number;
  others: number;
}

interface MutableCause extends CauseFacts {
  count: number;
  readonly shapes: Map<string, MutableShapeCount>;
  otherShapes: number;
}

interface MutableShapeCount extends ShapeCount {
  count: number;
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
    cause = {
      code,
      attr: attrPattern(problem.attr),
      severity,
      by,
      count: 0,
      first: problem,
      shapes: new Map(),
      otherShapes: 0,
    };
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

function worstFirst(a: Cause, b: Cause): number {
  if (a.severity !== b.severity) return a.severity === "error" ? -1 : 1;
  return b.count - a.count;
}
