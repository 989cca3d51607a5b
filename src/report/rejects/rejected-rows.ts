import { Failure } from "../../model/failure.ts";
import { NEEDS_WORK, type Outcome } from "../../model/outcome.ts";
import type { Place } from "../../model/place.ts";
import type { Problem } from "../../model/problem.ts";
import { type Candidates, type InputRecord, isCsvRow, placeOf, type Row } from "../../model/record.ts";
import type { RunOutcomes } from "../report.ts";

export interface RejectedBatch {
  readonly batch: readonly InputRecord[];
  readonly rejected: readonly { readonly record: InputRecord; readonly outcome: Outcome }[];
  /** Whether no record in a later batch needs correction. */
  readonly last: boolean;
}

/**
 * Reads the input together with the outcomes of records that need correction, both in input order.
 * @throws Failure `source_changed` if a record is not in the same place as in the run
 */
export async function* rejectedRecords(
  report: RunOutcomes,
  records: AsyncIterable<readonly InputRecord[]>,
): AsyncGenerator<RejectedBatch> {
  const wanted = eachOutcome(report);
  let next = await wanted.next();
  for await (const batch of records) {
    const rejected: { record: InputRecord; outcome: Outcome }[] = [];
    for (const record of batch) {
      if (next.done || next.value.record > record.number) continue;
      rejected.push({ record, outcome: requireSameRecord(next.value, record) });
      next = await wanted.next();
    }
    yield { batch, rejected, last: next.done === true };
  }
  if (!next.done) throw sourceChanged(next.value);
}

async function* eachOutcome({ outcomes }: RunOutcomes): AsyncGenerator<Outcome, undefined> {
  for await (const batch of outcomes([...NEEDS_WORK])) yield* batch;
  return undefined;
}

function requireSameRecord(outcome: Outcome, { number, row }: InputRecord): Outcome {
  const { record, source } = outcome;
  if (record === number && source.file === row.table.file && source.line === row.line) return outcome;
  throw sourceChanged(outcome);
}

function sourceChanged({ record, source }: Outcome): Failure {
  return new Failure("source_changed", `record ${record} is no longer where it was during the run`, {
    place: source,
    hint: "the input has changed; run the same command again",
  });
}

interface SourceRow {
  readonly row: Row;
  /** The child source that contains the row; absent for a row of the root source. */
  readonly child?: string;
}

/** A row of a record that needs correction, with the record's problems in this row. */
export interface RejectRow extends SourceRow {
  readonly problems: readonly Problem[];
}

/** Receives the rows that are written to the rejects files. */
export interface RowWriter {
  /** The caller may append to `columns` until the first row of the file is added. */
  readonly addFile: (child: string | undefined, kind: "csv" | "json", columns: readonly string[]) => void;
  /** The caller must have added the file of the row. */
  readonly add: (entry: RejectRow, outcome: Outcome) => void;
  readonly flush: () => Promise<void>;
}

/**
 * Returns all rows of a record: the record's own row first, then the rows joined to it. A problem belongs to the row
 * that contains its place, and to the copies of this row in other sources that read the same file. A problem without a
 * place in these rows belongs to the record's own row. A problem with several cells is listed once for each cell.
 * @param from the rows to export, from `recordRows` or `rowsToExport`
 */
export function rejectRows(
  record: InputRecord,
  { problems }: { readonly problems: readonly Problem[] },
  from: readonly SourceRow[] = recordRows(record),
): readonly RejectRow[] {
  const rows = from.map((entry): MutableRejectRow => ({ ...entry, problems: [] }));
  const byLine = new Map<string, MutableRejectRow[]>();
  for (const entry of rows) {
    const key = lineKey(entry.row.table.file, entry.row.line);
    byLine.set(key, [...(byLine.get(key) ?? []), entry]);
  }
  for (const problem of problems.flatMap(inEachCell)) {
    const { place } = problem;
    const near = place === undefined ? [] : (byLine.get(lineKey(place.file, place.line)) ?? []);
    const home = near.find(({ row }) => place !== undefined && isWithin(place, row));
    for (const entry of home === undefined ? rows.slice(0, 1) : copiesOf(home, near)) entry.problems.push(problem);
  }
  return rows;
}

/** Returns the row, and its copies in other sources that read the same file: the first one in each source. */
function copiesOf<Entry extends SourceRow>({ row }: Entry, near: readonly Entry[]): readonly Entry[] {
  const { pointer } = placeOf(row);
  const copies = near.filter((other) => placeOf(other.row).pointer === pointer);
  return copies.filter(({ child }, index) => copies.findIndex((other) => other.child === child) === index);
}

/** Returns a problem for each cell from which the value may come, because a change to any cell may be a correction. */
function inEachCell(problem: Problem): readonly Problem[] {
  return problem.place?.cells?.map((place) => ({ ...problem, place })) ?? [problem];
}

interface MutableRejectRow extends SourceRow {
  readonly problems: Problem[];
}

/** Returns every row of a record with its source: the record's own row, then its children, depth first. */
export function recordRows(record: InputRecord): readonly SourceRow[] {
  return rowsOf(record, (_parent, _child, rows) => rows);
}

/**
 * Returns the rows that a re-import of the record needs: its rows and, if the correction of an error may change the
 * selection of a `pick`, the rows that the `pick` omitted.
 */
export function rowsToExport(record: InputRecord, problems: readonly Problem[]): readonly SourceRow[] {
  const errors = problems.filter(({ severity }) => severity === "error").flatMap(inEachCell);
  return rowsOf(record, ({ candidates }, child, rows) => {
    const all = candidates?.get(child);
    return all !== undefined && errors.some((error) => mayChangeSelection(error, all)) ? all.rows : rows;
  });
}

function mayChangeSelection({ code, place }: Problem, { rows, columns }: Candidates): boolean {
  if (place === undefined || !rows.some((row) => isAt(place, row))) return false;
  return code.startsWith("source_") || place.column === undefined || columns.includes(place.column);
}

type ChooseRows = (parent: Row, child: string, rows: readonly Row[]) => readonly Row[];

function rowsOf({ row, orphan, source }: InputRecord, choose: ChooseRows): readonly SourceRow[] {
  return [orphan ? { row, child: source } : { row }, ...joinedRows(row, choose)];
}

function joinedRows(parent: Row, choose: ChooseRows): readonly SourceRow[] {
  return [...(parent.children ?? [])].flatMap(([child, rows]) =>
    choose(parent, child, rows).flatMap((row) => [{ row, child }, ...joinedRows(row, choose)]),
  );
}

function isAt(place: Place, row: Row): boolean {
  return place.file === row.table.file && place.line === row.line && isWithin(place, row);
}

function lineKey(file: string, line: number): string {
  return `${line} ${file}`;
}

/** Whether the place is in the row. Both must be on the same line of the same file. */
function isWithin({ pointer = "" }: Place, row: Row): boolean {
  return isCsvRow(row) || pointer === row.pointer || pointer.startsWith(`${row.pointer}/`);
}
