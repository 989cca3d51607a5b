import { NON_FIELD_ERRORS } from "../../json/attr.ts";
import type { Place } from "../../model/place.ts";
import type { LocalProblem, Severity, SourceFinding } from "../../model/problem.ts";
import type { Row, RowPosition } from "../../model/record.ts";

/** A row, and the problems in it or in the rows joined to it. */
export interface ReadRow {
  readonly row: Row;
  readonly problems: readonly LocalProblem[];
  /** Where the next row starts: set for the last row of each piece of a file that can be read from there. */
  readonly next?: RowPosition;
}

export const BATCH_ROWS = 500;

/** Shared by all rows without problems, to save allocations. */
export const NO_PROBLEMS: readonly LocalProblem[] = [];

/** Rows that were read together, with the place after them. */
export function withNext(rows: readonly ReadRow[], next: RowPosition): readonly ReadRow[] {
  const last = rows.at(-1);
  return last === undefined ? rows : [...rows.slice(0, -1), { ...last, next }];
}

/**
 * Problems of sources belong to a row, not to an attr of the payload, which may never be mapped. The spread comes
 * last: V8 takes fifty times as long to add members to a copy, and every row may have a problem.
 */
export function sourceProblem(place: Place, finding: SourceFinding, severity: Severity = "error"): LocalProblem {
  return { attr: NON_FIELD_ERRORS, severity, by: "local", place, ...finding };
}
