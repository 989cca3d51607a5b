import type { CsvRow, CsvTable } from "../../model/record.ts";
import type { CsvLayout } from "./csv-layout.ts";
import type { RecordPlaces } from "./record-boundaries.ts";

/** The cells of one record, as bytes. */
export interface RecordCells {
  /** The bytes that contain the cells: the bytes of the piece, or a changed copy of the record. */
  bytes: Buffer;
  /** Offsets in `bytes` at which the record starts and ends (exclusive), without its line ending. */
  start: number;
  end: number;
  /** Whether the record contains a quote. */
  isQuoted: boolean;
  /** 1-based line on which the record starts. */
  line: number;
  /** Offsets in `bytes` at which each column's cell starts and ends (exclusive), without quotes. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Returns the record with its cells as strings. */
  readonly row: () => CsvRow;
  /**
   * Returns the record with the cells of these columns as strings. The contents of other cells are unspecified. The
   * result is valid until the next call.
   */
  readonly rowOf: (columns: readonly number[]) => CsvRow;
}

/** @param delimiter the delimiter between the cells; undefined if the cells are not separated by a single delimiter */
export function newRecordCells(table: CsvTable, delimiter: string | undefined): RecordCells {
  const columns = table.columns.length;
  let row: CsvRow = { table, cells: [], line: 0 };
  let builtFrom: Buffer = Buffer.alloc(0);
  let builtAt = -1;
  const isBuilt = (): boolean => builtAt === cells.start && builtFrom === cells.bytes;
  const part = { table, cells: Array.from({ length: columns }, () => ""), line: 0 };
  const cells: RecordCells = {
    bytes: Buffer.alloc(0),
    start: 0,
    end: 0,
    isQuoted: false,
    line: 0,
    starts: new Int32Array(columns),
    ends: new Int32Array(columns),
    row() {
      if (!isBuilt()) row = { table, cells: cellTexts(cells, delimiter), line: cells.line };
      [builtFrom, builtAt] = [cells.bytes, cells.start];
      return row;
    },
    rowOf(wanted) {
      if (isBuilt()) return row;
      const { bytes, starts, ends } = cells;
      for (const column of wanted) part.cells[column] = bytes.toString("utf8", starts[column], ends[column]);
      part.line = cells.line;
      return part;
    },
  };
  return cells;
}

function cellTexts(
  { bytes, start, end, isQuoted, starts, ends }: RecordCells,
  delimiter: string | undefined,
): readonly string[] {
  if (!isQuoted && delimiter !== undefined) return bytes.toString("utf8", start, end).split(delimiter);
  return Array.from(starts, (from, column) => bytes.toString("utf8", from, ends[column]));
}

/**
 * Returns a function that moves `cells` to a record. It returns false if the record contains a control character or a
 * stray quote. It must be called in record order, for every record from number `from`.
 */
export function recordStarter(
  cells: RecordCells,
  { boundaries, bytes, line }: PlacedRecords,
  from: number,
): (number: number) => boolean {
  const { starts, ends, lines, controls = NONE, strayQuotes = NONE, quoted = [] } = boundaries;
  let nextQuoted = 0;
  while ((quoted[nextQuoted] ?? from) < from) nextQuoted += 1;
  const areAllClean = controls.size + strayQuotes.size === 0;
  return (number) => {
    cells.bytes = bytes;
    cells.start = starts[number] ?? 0;
    cells.end = ends[number] ?? 0;
    cells.line = line + (lines[number] ?? 0);
    cells.isQuoted = quoted[nextQuoted] === number;
    if (cells.isQuoted) nextQuoted += 1;
    return areAllClean || (!controls.has(number) && !strayQuotes.has(number));
  };
}

interface PlacedRecords {
  readonly bytes: Buffer;
  readonly boundaries: RecordPlaces;
  /** The number to add to the line of each record in `boundaries`. */
  readonly line: number;
}

const NONE: ReadonlySet<number> = new Set();

/** The delimiter (one byte) and the number of columns of a file. */
export interface CellMarks {
  readonly delimiter: number;
  readonly columns: number;
}

export function cellMarks({ header: { table }, delimiter }: CsvLayout): CellMarks {
  return { delimiter: delimiter.charCodeAt(0), columns: table.columns.length };
}

const QUOTE = 34;

/**
 * Finds the cells of a record. Returns false if the number of cells differs from the number of columns, or if a
 * cell contains an escaped or misplaced quote.
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

/** Returns the offset of the first `mark` byte, or of the end of the record; -1 if a quote precedes it. */
function endOfCell(bytes: Uint8Array, from: number, end: number, mark: number): number {
  for (let at = from; at < end; at += 1) {
    const byte = bytes[at];
    if (byte === mark) return at;
    if (byte === QUOTE) return -1;
  }
  return end;
}
