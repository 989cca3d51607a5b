import { attrPattern } from "../../json/attr.ts";
import type { Outcome } from "../../model/outcome.ts";
import type { Problem, Severity } from "../../model/problem.ts";
import { plainText } from "../../text/plain-text.ts";
import { causeKey } from "../formats/causes.ts";
import { describeKind, describeProblem, foundCode } from "../problem-text.ts";
import type { CauseData, RowData } from "./page-data.ts";

/** A cause as shown on the page, with its rows grouped by place. */
export interface PageCause extends CauseData {
  readonly by: Problem["by"];
  /** The first of the problems, which determines the advice. */
  readonly first: Problem;
  /** Number of affected records. */
  readonly records: number;
  /** Shapes of the values, most frequent first. */
  readonly shapes: readonly { readonly shape: string; readonly count: number }[];
}

export interface CauseCollector {
  /** Adds the problems of outcomes, which must be in input order. */
  readonly add: (outcomes: readonly Outcome[]) => void;
  /** Errors before warnings, then by the number of affected records, highest first. */
  readonly causes: () => readonly PageCause[];
  /** Number of problems in causes beyond the limits. */
  readonly others: () => Readonly<Record<Severity, number>>;
}

/** Limits on memory use. They also keep the page small enough for an e-mail. */
const MAX_PLACES = 1000;
const MAX_SHAPES = 5;
const ROWS_OF_PLACE = 100;
const MAX_ROWS = 5000;
/** Maximum number of rows per place after the page is full. */
const ROWS_OF_LATE_PLACE = 3;

/** Creates a collector that groups problems by cause, and keeps the first rows of each place. */
export function createCauseCollector({ showValues }: { readonly showValues: boolean }): CauseCollector {
  const byCause = new Map<string, MutableCause>();
  const others = { error: 0, warning: 0 };
  const size: Size = { places: 0, rows: 0 };
  const addProblem = (outcome: Outcome, problem: Problem): void => {
    const count = 1 + (problem.unlisted ?? 0);
    const key = causeKey(problem);
    const known = byCause.get(key);
    if (known === undefined && size.places >= MAX_PLACES) {
      others[problem.severity] += count;
      return;
    }
    const cause = known ?? newCause(problem);
    if (known === undefined) byCause.set(key, cause);
    if (cause.lastRecord !== outcome.record) cause.records += 1;
    cause.lastRecord = outcome.record;
    cause.problems += count;
    countShape(cause, shapeOf(problem), count);
    addRow(cause, size, { outcome, problem, count, showValues });
  };
  return {
    add: (outcomes) => {
      for (const outcome of outcomes) for (const problem of outcome.problems) addProblem(outcome, problem);
    },
    causes: () => [...byCause.values()].map(finished).toSorted(worstFirst),
    others: () => others,
  };
}

interface Size {
  places: number;
  rows: number;
}

interface MutableCause extends Omit<PageCause, "places" | "shapes" | "records" | "problems"> {
  records: number;
  problems: number;
  lastRecord: number;
  readonly shapes: Map<string, number>;
  readonly places: Map<
    string,
    { readonly file: string; readonly column?: string; problems: number; readonly rows: RowData[] }
  >;
}

function newCause(problem: Problem): MutableCause {
  const { code, attr, severity, by } = problem;
  return {
    code: plainText(code, 120),
    attr: plainText(attrPattern(attr), 200),
    words: describeKind(problem),
    severity,
    by,
    first: problem,
    records: 0,
    problems: 0,
    lastRecord: 0,
    shapes: new Map(),
    places: new Map(),
  };
}

function countShape({ shapes }: MutableCause, shape: string | undefined, count: number): void {
  if (shape === undefined) return;
  const known = shapes.get(shape);
  if (known !== undefined || shapes.size < MAX_SHAPES) shapes.set(shape, (known ?? 0) + count);
}

interface NewRow {
  readonly outcome: Outcome;
  readonly problem: Problem;
  readonly count: number;
  readonly showValues: boolean;
}

function addRow(cause: MutableCause, size: Size, { outcome, problem, count, showValues }: NewRow): void {
  const { place = outcome.source } = problem;
  const column = place.column ?? place.pointer?.replace(/\/\d+(?=\/|$)/g, "/*");
  const key = `${place.file}\n${column ?? ""}`;
  let known = cause.places.get(key);
  if (known === undefined) {
    if (size.places >= MAX_PLACES) return;
    size.places += 1;
    known = {
      file: plainText(place.file, 200),
      ...(column !== undefined && { column: plainText(column, 200) }),
      problems: 0,
      rows: [],
    };
    cause.places.set(key, known);
  }
  known.problems += count;
  if (known.rows.length >= (size.rows < MAX_ROWS ? ROWS_OF_PLACE : ROWS_OF_LATE_PLACE)) return;
  size.rows += 1;
  known.rows.push(rowOf(cause.words, outcome, showValues ? problem : withoutValue(problem)));
}

/** The shape of the value; if the value is a code, the value itself in quotation marks. */
function shapeOf(problem: Problem): string | undefined {
  const found = foundCode(problem);
  return found === undefined ? problem.shape : `"${found}"`;
}

function withoutValue(problem: Problem): Problem {
  const { value: _value, ...others } = problem;
  return others;
}

function rowOf(words: string, outcome: Outcome, problem: Problem): RowData {
  const { place = outcome.source, value, unlisted } = problem;
  const shape = shapeOf(problem);
  const isSameMessage = unlisted === undefined && describeKind(problem) === words;
  return {
    record: outcome.record,
    ...(outcome.key !== undefined && { key: plainText(outcome.key, 120) }),
    line: place.line,
    ...(place.pointer !== undefined && { pointer: plainText(place.pointer, 200) }),
    ...(shape !== undefined && { shape: plainText(shape, 80) }),
    ...(value !== undefined && { value: plainText(value, 200) }),
    ...(!isSameMessage && { note: describeProblem(problem) }),
  };
}

function finished({ shapes, places, ...cause }: MutableCause): PageCause {
  return {
    ...cause,
    places: [...places.values()],
    shapes: [...shapes].map(([shape, count]) => ({ shape, count })).toSorted((a, b) => b.count - a.count),
  };
}

function worstFirst(a: PageCause, b: PageCause): number {
  if (a.severity !== b.severity) return a.severity === "error" ? -1 : 1;
  return b.records - a.records || b.problems - a.problems;
}
