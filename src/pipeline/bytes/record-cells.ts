import type { CsvRow } from "../../model/record.ts";
import type { CsvLayout } from "../../read/csv/csv-layout.ts";

/** The cells of one record of a CSV file, as bytes, and what was made of them so far. */
export interface RecordCells {
  bytes: Buffer;
  /** The record's bytes, its line end not among them. */
  start: number;
  end: number;
  /** There is a quote in them. */
  isQuoted: boolean;
  /** 1-based line on which it starts. */
  line: number;
  /** For each column the byte that its cell begins with, and the one behind it; quotes are left out. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** How many values came out of cells so far. */
  made: number;
  /** Where the record's key stands, when it is the text of a cell; -1 otherwise. */
  keyStart: number;
  keyEnd: number;
  /** The key, when it is made otherwise. */
  keyText: string | undefined;
  /** The record with its cells as texts. */
  readonly row: () => CsvRow;
}

export function newRecordCells({ header: { table }, delimiter }: CsvLayout): RecordCells {
  const columns = table.columns.length;
  let row: CsvRow = { table, cells: [], line: 0 };
  let madeOf = -1;
  const cells: RecordCells = {
    bytes: Buffer.alloc(0),
    start: 0,
    end: 0,
    isQuoted: false,
    line: 0,
    starts: new Int32Array(columns),
    ends: new Int32Array(columns),
    made: 0,
    keyStart: -1,
    keyEnd: 0,
    keyText: undefined,
    row() {
      if (madeOf !== cells.line) row = { table, cells: cellTexts(cells, delimiter), line: cells.line };
      madeOf = cells.line;
      return row;
    },
  };
  return cells;
}

/** Forgets what was made of the record before. */
export function startRecord(cells: RecordCells): void {
  cells.made = 0;
  cells.keyStart = -1;
  cells.keyText = undefined;
}

function cellTexts({ bytes, start, end, isQuoted, starts, ends }: RecordCells, delimiter: string): readonly string[] {
  if (!isQuoted) return bytes.toString("utf8", start, end).split(delimiter);
  return Array.from(starts, (from, column) => bytes.toString("utf8", from, ends[column]));
}

export interface CellMarks {
  readonly delimiter: number;
  readonly columns: number;
}

const QUOTE = 34;

/**
 * Finds the cells of a record. False where there are more or fewer than columns, and where a cell is not just what
 * stands between two delimiters, or between two quotes within them.
 */
export function findCells(cells: RecordCells, marks: CellMarks): boolean {
  return cells.isQuoted ? findQuoted(cells, marks) : findBare(cells, marks);
}

function findBare({ bytes, start, end, starts, ends }: RecordCells, { delimiter, columns }: CellMarks): boolean {
  const last = columns - 1;
  let count = 0;
  let from = start;
  for (let at = start; at < end; at += 1) {
    if (bytes[at] !== delimiter) continue;
    if (count === last) return false;
    starts[count] = from;
    ends[count] = at;
    count += 1;
    from = at + 1;
  }
  starts[count] = from;
  ends[count] = end;
  return count === last;
}

function findQuoted(cells: RecordCells, { delimiter, columns }: CellMarks): boolean {
  const { bytes, end, starts, ends } = cells;
  let from = cells.start;
  for (let count = 0; count < columns; count += 1) {
    const isQuoted = from < end && bytes[from] === QUOTE;
    const first = isQuoted ? from + 1 : from;
    const at = endOfCell(bytes, first, end, isQuoted ? QUOTE : delimiter);
    if (at < 0 || (isQuoted && at === end)) return false;
    starts[count] = first;
    ends[count] = at;
    const behind = isQuoted ? at + 1 : at;
    if (behind === end) return count === columns - 1;
    if (bytes[behind] !== delimiter) return false;
    from = behind + 1;
  }
  return false;
}

/** The first byte that ends the cell, or the record's end; -1 where a quote stands before it. */
function endOfCell(bytes: Uint8Array, from: number, end: number, mark: number): number {
  for (let at = from; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === mark) return at;
    if (byte === QUOTE) return -1;
  }
  return end;
}
