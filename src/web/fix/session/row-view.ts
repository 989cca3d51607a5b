import type { Problem } from "../../../model/problem.ts";
import type { Row } from "../../../model/record.ts";
import { cellText } from "../../../read/corrections/correction.ts";
import { adviceFor } from "../../../report/problems/advice.ts";
import { describePattern, describeProblem } from "../../../report/problems/problem-text.ts";
import { plainText } from "../../../text/plain-text.ts";
import { shapeOf } from "../../../text/shape.ts";
import type { FixMark, FixRow } from "../fix-types.ts";
import { correctionsOfCell } from "./session-changes.ts";
import type { Amend } from "./check-record.ts";
import type { SessionParts } from "./session-causes.ts";
import { columnIn, type SessionRows, type StoredRow, storedRow } from "./session-rows.ts";
import type { Found } from "./session-store.ts";

/** Maximum length of a value in the grid, in UTF-16 code units. Longer values are cut off. */
const MAX_CHARACTERS = 2000;

export interface ViewParts extends SessionParts {
  readonly amend: Amend;
}

/**
 * Returns a row as the grid shows it.
 * @param found a stored row, joined with the `record_key` and `state` of its record
 * @param showValues false returns shapes instead of values
 */
export function rowView(found: Found, parts: ViewParts, showValues: boolean): FixRow {
  const { rows, amend } = parts;
  const stored = storedRow(found, rows);
  const now = amend(stored);
  const columns = rows.sources[stored.source]?.columns ?? [];
  const problems = problemsOf(found);
  const cells = columns.map((column) => exactText(now, column, problems));
  const cut = cells.flatMap((text = "", index) => (text.length > MAX_CHARACTERS ? [index] : []));
  const lock = lockReason(stored, problems, rows);
  const { state, record_key: recordKey } = found;
  const hasErrors = problems.some(({ severity }) => severity === "error");
  return {
    id: stored.id,
    key: plainText(String(recordKey ?? stored.key ?? ""), 120),
    file: stored.original.table.file,
    line: stored.original.line,
    cells: cells.map((text) =>
      text === undefined ? null : showValues ? text.slice(0, MAX_CHARACTERS) : text && shapeOf(text),
    ),
    ...(cut.length > 0 && { cut }),
    marks: marksOf(problems, now, parts, columns),
    edited: columns.flatMap((column, index) => {
      const last =
        cells[index] === cellText(stored.original, column)
          ? undefined
          : correctionsOfCell(stored, column, parts).at(-1);
      return last === undefined ? [] : [{ column: index, by: last.by, at: last.at }];
    }),
    state: hasErrors ? "open" : state === "recheck" ? "recheck" : "fixed",
    ...(lock !== undefined && { locked: lock }),
  };
}

/**
 * Returns the value of a cell as text. Returns undefined if the row has no cell in this column, or if a number of the
 * cell lost digits when the file was read.
 */
export function exactText(row: Row, column: string, problems: readonly Problem[]): string | undefined {
  const isRounded = problems.some(({ code, place }) => {
    const name = code === "source_unsafe_number" && place !== undefined ? columnIn(row, place) : undefined;
    return name !== undefined && (name === column || name.startsWith(`${column}.`));
  });
  return isRounded ? undefined : cellText(row, column);
}

export function problemsOf({ found }: Found): readonly Problem[] {
  return typeof found === "string" ? JSON.parse(found) : [];
}

/**
 * Returns the marks of a row without repeats. Several attrs may be filled from one cell and then have the same problem.
 */
function marksOf(
  problems: readonly Problem[],
  row: Row,
  parts: ViewParts,
  columns: readonly string[],
): readonly FixMark[] {
  const marks = new Map<string, FixMark>();
  for (const problem of problems) {
    const mark = markOf(problem, row, parts, columns);
    const name = `${mark.column ?? ""} ${mark.severity} ${mark.message}`;
    if (!marks.has(name)) marks.set(name, mark);
  }
  return [...marks.values()];
}

function markOf(problem: Problem, row: Row, { causes }: ViewParts, columns: readonly string[]): FixMark {
  const name = problem.place && columnIn(row, problem.place);
  const column = name === undefined ? -1 : columns.indexOf(name);
  return {
    ...(column >= 0 && { column }),
    severity: problem.severity,
    by: problem.by,
    message: describePattern(problem) ?? describeProblem(problem),
    advice: adviceFor(problem),
    cause: causes.idOf(problem),
  };
}

/**
 * Source problems that do not lock a row. Most of them depend on several rows, and a correction can fix them. Any other
 * source problem remains until the user corrects the file itself, because corrections apply to cells that have already
 * been read.
 */
const BETWEEN_ROWS: ReadonlySet<string> = new Set([
  "source_missing_key",
  "source_orphan_row",
  "source_missing_row",
  "source_duplicate_key",
  "source_repeated_row",
  "source_unselected_row",
  "source_bad_order",
  "source_bad_as_of",
  "source_child_left_out",
  "source_rounded_number",
]);

/** Returns the reason why no cell of a row can be corrected; undefined if cells can be corrected. */
export function lockReason(
  { key, source, original }: StoredRow,
  problems: readonly Problem[],
  { sources }: SessionRows,
): string | undefined {
  const definition = sources[source];
  const keyName = definition?.keyName(original);
  if (key === undefined) {
    return keyName === undefined
      ? "No column contains the key of this row, so a correction cannot identify the row. Set the key of its source in the mapping, then check again."
      : `This row has no key in ${keyName}, so a correction cannot identify the row. Fill in the key in the file, then check again.`;
  }
  const unreadable = problems.find(({ code, place }) => {
    if (!code.startsWith("source_") || BETWEEN_ROWS.has(code)) return false;
    const column = place && columnIn(original, place);
    return column === undefined || (column !== keyName && definition?.structural.has(column) !== true);
  });
  return unreadable && `Correct this row in the file, then check again. ${adviceFor(unreadable)}`;
}
