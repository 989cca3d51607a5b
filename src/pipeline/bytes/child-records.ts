import type { CsvRow } from "../../model/record.ts";
import type { ChunkCsvFile } from "../../read/chunks/record-chunk.ts";
import { cellMarks, findCells, newRecordCells } from "../../read/csv/record-cells.ts";
import { RECORD_FLAG, recordFlags } from "../../read/csv/record-boundaries.ts";
import { contentIn, hasAddedColumns, placesInOrder, ranksOf } from "../../read/join/arrange-rows.ts";
import type { ChildSlice, JoinedSource } from "../../read/join/bytes/joined-chunk.ts";
import { asBuffer, type ChildGroups } from "../../read/join/bytes/joined-piece.ts";
import { type FastPathCells, withEncodingState } from "./fast-path-cells.ts";
import { readableCells } from "./readable-cells.ts";

/**
 * Reads the records of a child source that belong to one record of the root source. Works on bytes, without creating
 * rows.
 */
export interface ChildRecords {
  readonly name: string;
  readonly files: readonly ChunkCsvFile[];
  /** For each file, by index: the cells of the last record that was selected from it. */
  readonly cells: readonly FastPathCells[];
  /** Begins a new piece of the root source. `groups` are the child records joined to it. */
  readonly load: (groups: ChildGroups) => void;
  /** Selects a root record. Returns the number of its child records, or -1 if they need the row path. */
  readonly begin: (number: number) => number;
  /**
   * Selects a child record by its index in sorted order. Returns the index of its file, or -1 if the record needs the
   * row path.
   */
  readonly selectChild: (index: number) => number;
}

export function childRecords({ name, files, orderBy }: JoinedSource): ChildRecords {
  const readers = files.map(recordReader);
  const tables = files.map(({ layout }) => layout.header.table);
  const contentOf = contentIn(tables);
  const canCompareBytes = !tables.some(hasAddedColumns);
  let slices: readonly Slice[] = [];
  let groups: ChildGroups = NO_GROUPS;
  let [first, count] = [0, 0];
  let order: readonly number[] | undefined;

  /**
   * Reads the record at a position in `groups`. Returns the index of its file, or -1 if the record needs the row path.
   */
  function read(place: number): number {
    const slice = slices[groups.sliceAt[place] ?? 0];
    const isRead = slice !== undefined && readers[slice.file]?.read(slice, groups.numberAt[place] ?? 0) === true;
    return isRead ? slice.file : -1;
  }

  /** Reads a child record by its index in file order. Returns undefined if the record needs the row path. */
  function readerAt(index: number): RecordReader | undefined {
    return readers[read(first + index)];
  }

  /**
   * Whether no two child records can be equal. If two of them may be equal, the row path compares the rows and adds any
   * warnings.
   */
  function areDifferent(): boolean {
    const slice = slices[groups.sliceAt[first] ?? 0];
    const isSimple = canCompareBytes && count <= MAX_SIMPLE_ROWS;
    return isSimple && slice !== undefined && areUnquotedIn(slice, groups, first, count)
      ? haveDifferentBytes(slice, groups, first, count)
      : haveDifferentCells(count, readerAt, contentOf);
  }

  /** Sorts the child records. Returns false if a record has no valid value to sort by, or needs the row path. */
  function sortRecords(): boolean {
    if (orderBy === undefined) return true;
    const texts: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const text = readerAt(index)?.textIn(orderBy.column);
      if (text === undefined) return false;
      texts.push(text);
    }
    const ranks = ranksOf(texts, orderBy);
    order = placesInOrder(ranks);
    return !ranks.includes(undefined);
  }

  return {
    name,
    files,
    cells: readers.map(({ cells }) => cells),
    load(found) {
      groups = found;
      slices = found.slices.map(newSlice);
    },
    begin(number) {
      first = groups.starts[number] ?? 0;
      count = (groups.starts[number + 1] ?? 0) - first;
      order = undefined;
      return count < 2 || (areDifferent() && sortRecords()) ? count : -1;
    },
    selectChild: (index) => read(first + (order?.[index] ?? index)),
  };
}

/** Maximum number of child records whose bytes are compared pairwise. */
const MAX_SIMPLE_ROWS = 8;

/** The groups for a piece without child records. */
export const NO_GROUPS: ChildGroups = {
  slices: [],
  starts: new Int32Array(1),
  sliceAt: new Int32Array(),
  numberAt: new Int32Array(),
};

interface Slice extends Omit<ChildSlice, "bytes"> {
  readonly bytes: Buffer;
  readonly flags: Uint8Array;
}

function newSlice({ bytes, boundaries, file, line, parents }: ChildSlice): Slice {
  return { bytes: asBuffer(bytes), boundaries, flags: recordFlags(boundaries), file, line, parents };
}

/** Whether the records are in one slice and contain no quotes, so that it is enough to compare their bytes. */
function areUnquotedIn(slice: Slice, { sliceAt, numberAt }: ChildGroups, first: number, count: number): boolean {
  const position = sliceAt[first] ?? 0;
  for (let place = first; place < first + count; place += 1) {
    const flags = slice.flags[numberAt[place] ?? 0] ?? 0;
    if (sliceAt[place] !== position || (flags & RECORD_FLAG.quoted) !== 0) return false;
  }
  return true;
}

function haveDifferentBytes(slice: Slice, { numberAt }: ChildGroups, first: number, count: number): boolean {
  for (let one = first + 1; one < first + count; one += 1)
    for (let other = first; other < one; other += 1)
      if (isSameRecord(slice, numberAt[one] ?? 0, numberAt[other] ?? 0)) return false;
  return true;
}

function haveDifferentCells(
  count: number,
  readerAt: (index: number) => RecordReader | undefined,
  contentOf: (row: CsvRow) => string,
): boolean {
  const contents = new Set<string>();
  for (let index = 0; index < count; index += 1) {
    const cells = readerAt(index)?.cells;
    if (cells === undefined) return false;
    contents.add(contentOf(cells.row()));
  }
  return contents.size === count;
}

function isSameRecord({ bytes, boundaries: { starts, ends } }: Slice, one: number, other: number): boolean {
  const [from, start] = [starts[one] ?? 0, starts[other] ?? 0];
  const length = (ends[one] ?? 0) - from;
  if ((ends[other] ?? 0) - start !== length) return false;
  for (let at = 0; at < length; at += 1) if (bytes[from + at] !== bytes[start + at]) return false;
  return true;
}

interface RecordReader {
  readonly cells: FastPathCells;
  /** Reads a record of a slice. Returns false if the record may have a problem. */
  readonly read: (slice: Slice, number: number) => boolean;
  /** Returns the trimmed text of a column in the record that was read. */
  readonly textIn: (column: string) => string;
}

function recordReader(file: ChunkCsvFile): RecordReader {
  const { layout } = file;
  const cells = withEncodingState(newRecordCells(layout.header.table, layout.delimiter));
  const marks = cellMarks(layout);
  const isReadable = readableCells(file);
  return {
    cells,
    read({ bytes, boundaries, line, flags }, number) {
      const flag = flags[number] ?? 0;
      cells.bytes = bytes;
      cells.start = boundaries.starts[number] ?? 0;
      cells.end = boundaries.ends[number] ?? 0;
      cells.line = line + (boundaries.lines[number] ?? 0);
      cells.isQuoted = (flag & RECORD_FLAG.quoted) !== 0;
      return (flag & ~RECORD_FLAG.quoted) === 0 && findCells(cells, marks) && isReadable(cells);
    },
    textIn(column) {
      const at = layout.header.table.columnIndex.get(column) ?? -1;
      return at < 0 ? "" : cells.bytes.toString("utf8", cells.starts[at], cells.ends[at]).trim();
    },
  };
}

/** Whether the child records of a root record can all be read on the fast path. */
export function areReadable(children: readonly ChildRecords[], number: number): boolean {
  return children.every((records) => {
    const count = records.begin(number);
    for (let index = 0; index < count; index += 1) if (records.selectChild(index) < 0) return false;
    return count >= 0;
  });
}

/**
 * Changes the cells of a root source so that `row` also returns the child rows. If the child records need the row path,
 * reading the child rows throws an error.
 */
export function withChildren(cells: FastPathCells, children: readonly ChildRecords[]): FastPathCells {
  if (children.length === 0) return cells;
  const ownRow = cells.row;
  const rowsOf = (records: ChildRecords, number: number): readonly CsvRow[] => {
    const count = records.begin(number);
    if (count < 0) throw new Error(NOT_BY_BYTES);
    return Array.from({ length: count }, (_, index) => {
      const child = records.cells[records.selectChild(index)];
      if (child === undefined) throw new Error(NOT_BY_BYTES);
      return child.row();
    });
  };
  return Object.assign(cells, {
    row(): CsvRow {
      const { number } = cells;
      let made: ReadonlyMap<string, readonly CsvRow[]> | undefined;
      return {
        ...ownRow(),
        get children() {
          return (made ??= new Map(children.map((records) => [records.name, rowsOf(records, number)])));
        },
      };
    },
  });
}

const NOT_BY_BYTES = "joined records cannot be read on the fast path";
