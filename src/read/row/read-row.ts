import { NON_FIELD_ERRORS } from "../../json/attr.ts";
import type { Place } from "../../model/place.ts";
import type { LocalProblem, Severity, SourceFinding } from "../../model/problem.ts";
import { canonicalJson } from "../../json/json-value.ts";
import { isCsvRow, type Row, type RowPosition } from "../../model/record.ts";

/** A row, and the problems in it or in the rows joined to it. */
export interface ReadRow {
  readonly row: Row;
  readonly problems: readonly LocalProblem[];
  /** The position of the next row. Set only for the last row of a piece, if the file can be read from there. */
  readonly next?: RowPosition;
}

/** Maximum number of records in a batch of the input. */
export const BATCH_ROWS = 500;

/** Returns the cells of a row, or its JSON value, as text. Equal rows of one file have the same content. */
export function rowContent(row: Row): string {
  return isCsvRow(row) ? JSON.stringify(row.cells) : canonicalJson(row.value);
}

/** Shared by all rows without problems, to save allocations. */
export const NO_PROBLEMS: readonly LocalProblem[] = [];

/** Adds the position of the next row to the last of these rows. */
export function withNext(rows: readonly ReadRow[], next: RowPosition): readonly ReadRow[] {
  const last = rows.at(-1);
  return last === undefined ? rows : [...rows.slice(0, -1), { ...last, next }];
}

/**
 * Creates a problem found in a source. The problem has a place but no attr of a field, because the mapping might not
 * use the cell. The spread is last for speed: in V8, adding members to a copy takes fifty times as long, and every row
 * may have a problem.
 */
export function sourceProblem(place: Place, finding: SourceFinding, severity: Severity = "error"): LocalProblem {
  return { attr: NON_FIELD_ERRORS, severity, by: "local", place, ...finding };
}
