import { attrPattern } from "../../json/attr.ts";
import type { Outcome } from "../../model/outcome.ts";
import type { Problem, Severity } from "../../model/problem.ts";
import type { Writable } from "../../model/writable.ts";
import { plainText } from "../../text/plain-text.ts";
import { causeKey, errorsFirst } from "../formats/causes.ts";
import { describeKind, describeProblem, shownShape } from "../problems/problem-text.ts";
import type { PlaceData, RowData } from "./page-data.ts";

interface CountedCause extends PageFinding {
  readonly severity: Severity;
  /** Number of affected records. */
  readonly records: number;
  /** Number of problems, including other findings in the same cells. */
  readonly problems: number;
}

/** A cause as shown on the page, with its rows grouped by place. */
export interface PageCause extends CountedCause {
  /** Shapes of the values, most frequent first. */
  readonly shapes: readonly { readonly shape: string; readonly count: number }[];
  readonly places: readonly PlaceData[];
  /** Other findings in the same cells. */
  readonly also: readonly PageFinding[];
}

export interface PageFinding {
  readonly code: string;
  readonly attr: string;
  readonly words: string;
  readonly by: Problem["by"];
  /** The first problem, which determines the title and the advice. */
  readonly first: Problem;
  /** Number of cells with the finding, plus the number of its problems without a cell. */
  readonly count: number;
}

export interface CauseCollector {
  /** Outcomes must be added in input order. */
  readonly add: (outcomes: readonly Outcome[]) => void;
  /** Returns the causes: errors before warnings, then by the number of affected records, highest first. */
  readonly causes: () => readonly PageCause[];
  /** Returns the number of problems in causes that first occurred after `MAX_PLACES` was reached. */
  readonly others: () => Readonly<Record<Severity, number>>;
  readonly totals: () => CauseTotals;
}

/** Totals of errors, including errors that the page omits. */
interface CauseTotals {
  /** Number of places with errors. A cell with several errors counts as one place. */
  readonly places: number;
  /** Number of causes of errors, as the text report counts them; at most `MAX_CAUSES`. */
  readonly causes: number;
}

/** Limits on memory use. They also keep the page small enough for an e-mail. */
const MAX_PLACES = 1000;
const MAX_SHAPES = 5;
const MAX_ALSO = 10;
const ROWS_OF_PLACE = 100;
const MAX_ROWS = 5000;
/** Maximum number of rows per place once the page has `MAX_ROWS` rows. */
const ROWS_OF_LATE_PLACE = 3;
/** Maximum number of error causes to count. */
export const MAX_CAUSES = 1000;

/**
 * Creates a collector that groups problems by cause and keeps the first rows of each place. All problems in a cell of a
 * record belong to the cause of the first error in that cell, or of the first warning if the cell has no errors.
 */
export function createCauseCollector({ showValues }: { readonly showValues: boolean }): CauseCollector {
  const byCause = new Map<string, MutableCause>();
  const others = { error: 0, warning: 0 };
  const size: Size = { places: 0, rows: 0 };
  const errorCauses = new Set<string>();
  let errorPlaces = 0;
  const addCell = (outcome: Outcome, problems: CellProblems): void => {
    const [first] = problems;
    const count = countOf(first);
    if (first.severity === "error") errorPlaces += count;
    for (const problem of problems)
      if (problem.severity === "error" && errorCauses.size < MAX_CAUSES) errorCauses.add(causeKey(problem));
    const key = causeKey(first);
    const known = byCause.get(key);
    if (known === undefined && size.places >= MAX_PLACES) {
      for (const problem of problems) others[problem.severity] += countOf(problem);
      return;
    }
    const cause = known ?? newCause(first);
    if (known === undefined) byCause.set(key, cause);
    if (cause.lastRecord !== outcome.record) cause.records += 1;
    cause.lastRecord = outcome.record;
    cause.count += count;
    cause.problems += problems.reduce((sum, problem) => sum + countOf(problem), 0);
    countShape(cause, shownShape(first), count);
    addRow(cause, size, { outcome, problems, count, also: addAlso(cause, problems), showValues });
  };
  return {
    add: (outcomes) => {
      for (const outcome of outcomes) for (const problems of problemsByCell(outcome)) addCell(outcome, problems);
    },
    causes: () => [...byCause.values()].map(finished).toSorted(worstFirst),
    others: () => others,
    totals: () => ({ places: errorPlaces, causes: errorCauses.size }),
  };
}

/**
 * All problems in one cell of a record, or a single problem without a cell. The first is an error if any of them is.
 */
type CellProblems = readonly [Problem, ...Problem[]];

function problemsByCell({ problems }: Outcome): readonly CellProblems[] {
  const cells = new Map<string | Problem, [Problem, ...Problem[]]>();
  for (const problem of problems) {
    const key = cellKey(problem) ?? problem;
    const cell = cells.get(key);
    if (cell === undefined) cells.set(key, [problem]);
    else if (problem.severity === "error" && cell[0].severity === "warning") cell.unshift(problem);
    else cell.push(problem);
  }
  return [...cells.values()];
}

/**
 * Returns a string that identifies the cell; undefined for a problem without a cell, such as a missing row, and for a
 * problem that represents unlisted problems.
 */
function cellKey({ place, shape, unlisted }: Problem): string | undefined {
  if (place === undefined || unlisted !== undefined) return undefined;
  const { file, line, column, columnNumber, pointer } = place;
  if (column !== undefined) return `${line} ${columnNumber ?? ""} ${column}\n${file}`;
  return pointer === undefined || shape === undefined ? undefined : `${line} ${pointer}\n${file}`;
}

function countOf({ unlisted = 0 }: Problem): number {
  return 1 + unlisted;
}

interface Size {
  places: number;
  rows: number;
}

interface MutableCause extends Writable<CountedCause> {
  lastRecord: number;
  readonly shapes: Map<string, number>;
  readonly places: Map<string, MutablePlace>;
  readonly also: Map<string, Writable<PageFinding>>;
}

interface MutablePlace extends Writable<PlaceData> {
  readonly rows: RowData[];
}

function newCause(problem: Problem): MutableCause {
  const { severity } = problem;
  const cause = { ...newFinding(problem), severity, records: 0, problems: 0, lastRecord: 0 };
  return { ...cause, shapes: new Map(), places: new Map(), also: new Map() };
}

function newFinding(problem: Problem): Writable<PageFinding> {
  const { code, attr, by } = problem;
  return {
    code: plainText(code, 120),
    attr: plainText(attrPattern(attr), 200),
    words: describeKind(problem),
    by,
    first: problem,
    count: 0,
  };
}

/** Counts the other findings of a cell and returns their indexes. */
function addAlso({ also }: MutableCause, [first, ...problems]: CellProblems): readonly number[] {
  const own = causeKey(first);
  const keys = new Map(problems.map((problem) => [causeKey(problem), problem]));
  for (const [key, problem] of keys) {
    const known = also.get(key) ?? newFinding(problem);
    if (key === own || (known.count === 0 && also.size >= MAX_ALSO)) continue;
    known.count += 1;
    also.set(key, known);
  }
  return [...also.keys()].flatMap((key, at) => (keys.has(key) ? [at] : []));
}

function countShape({ shapes }: MutableCause, shape: string | undefined, count: number): void {
  if (shape === undefined) return;
  const known = shapes.get(shape);
  if (known !== undefined || shapes.size < MAX_SHAPES) shapes.set(shape, (known ?? 0) + count);
}

interface NewRow {
  readonly outcome: Outcome;
  readonly problems: CellProblems;
  readonly count: number;
  readonly also: readonly number[];
  readonly showValues: boolean;
}

function addRow(cause: MutableCause, size: Size, row: NewRow): void {
  const { place = row.outcome.source } = row.problems[0];
  // The pointer of an entire record is empty.
  const column = place.column ?? (place.pointer?.replace(/\/\d+(?=\/|$)/g, "/*") || undefined);
  const key = `${place.file}\n${column ?? ""}`;
  let known = cause.places.get(key);
  if (known === undefined) {
    if (size.places >= MAX_PLACES) return;
    size.places += 1;
    known = {
      file: plainText(place.file, 200),
      ...(column !== undefined && { column: plainText(column, 200) }),
      count: 0,
      rows: [],
    };
    cause.places.set(key, known);
  }
  known.count += row.count;
  if (known.rows.length >= (size.rows < MAX_ROWS ? ROWS_OF_PLACE : ROWS_OF_LATE_PLACE)) return;
  size.rows += 1;
  known.rows.push(rowOf(cause.words, row));
}

function rowOf(words: string, { outcome, problems, also, showValues }: NewRow): RowData {
  const [problem] = problems;
  const { place = outcome.source, value, unlisted } = problem;
  const shape = shownShape(problem);
  const own = causeKey(problem);
  const messages = problems.filter((each) => causeKey(each) === own).map(describeKind);
  const isSameMessage = unlisted === undefined && messages.every((message) => message === words);
  const note = messages.length === 1 ? describeProblem(problem) : [...new Set(messages)].join(" ");
  return {
    record: outcome.record,
    ...(outcome.key !== undefined && { key: plainText(outcome.key, 120) }),
    line: place.line,
    ...(place.pointer && { pointer: plainText(place.pointer, 200) }),
    ...(shape !== undefined && { shape: plainText(shape, 80) }),
    ...(showValues && value !== undefined && { value: plainText(value, 200) }),
    ...(!isSameMessage && { note }),
    ...(also.length > 0 && { also }),
  };
}

function finished({ shapes, places, also, ...cause }: MutableCause): PageCause {
  const isEverywhere = [...also.values()].every(({ count }) => count === cause.count);
  return {
    ...cause,
    places: [...places.values()].map((place) => ({
      ...place,
      rows: isEverywhere ? place.rows.map(({ also: _also, ...row }) => row) : place.rows,
    })),
    shapes: [...shapes].map(([shape, count]) => ({ shape, count })).toSorted((a, b) => b.count - a.count),
    also: [...also.values()],
  };
}

function worstFirst(a: PageCause, b: PageCause): number {
  return errorsFirst(a, b) || b.records - a.records || b.count - a.count;
}
