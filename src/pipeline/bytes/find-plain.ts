import type { PlainItems } from "../../ledger/packed/item-packer.ts";
import type { CsvBytes } from "../../read/csv/csv-rows.ts";
import type { ChunkCsvFile } from "../../read/chunks/record-chunk.ts";
import { newPlainCells, startRecord } from "./plain-cells.ts";
import { type PlainMaker, UNSURE } from "./plain-leaf.ts";
import { cellMarks, findCells, type RecordCells, recordStarter } from "../../read/csv/record-cells.ts";

/**
 * Which records of some bytes are valid, with nothing to say about them, told without making rows and payloads. All
 * others, and all that it is not sure of, are to be made and checked.
 */
interface PlainFinding {
  /** By the numbers of the plain records, what is planned of them. */
  readonly items: PlainItems;
  /** The numbers of the others, in order. */
  readonly others: readonly number[];
  /** A plain one is among them. */
  readonly isPlainMade: boolean;
}

/**
 * Looks at the records of a piece from this one on; `isFirstMade`: the first plain one is among the others all the same.
 * What it gives holds until it is called again.
 */
export type FindPlain = (piece: CsvBytes, from: number, options: { readonly isFirstMade: boolean }) => PlainFinding;

export function plainFinder(make: PlainMaker, { layout, keys }: ChunkCsvFile, hasKey: boolean): FindPlain {
  const { header } = layout;
  const marks = cellMarks(layout);
  const isReadable = readableCells(
    keys.map((name) => header.table.columnIndex.get(name) ?? -1),
    layout,
  );
  const cells = newPlainCells(layout);
  let items = newItems(header.table.file, 0);

  /** What fails on a row is for the ordinary way to say. */
  function content(): number {
    startRecord(cells);
    try {
      return make(cells);
    } catch {
      return UNSURE;
    }
  }

  function plan(number: number): boolean {
    const made = findCells(cells, marks) && isReadable(cells) ? content() : UNSURE;
    if (made < 0 || (hasKey && cells.keyStart < 0 && (cells.keyText ?? "") === "")) return false;
    items.lines[number] = cells.line;
    items.contents[number] = hasKey ? made : Number.NaN;
    items.keyStarts[number] = cells.keyStart;
    items.keyEnds[number] = cells.keyEnd;
    items.keyTexts[number] = cells.keyText;
    return true;
  }

  return (piece, from, { isFirstMade }) => {
    const count = piece.boundaries.starts.length;
    if (items.lines.length < count) items = newItems(header.table.file, 2 * count);
    items.bytes = piece.bytes;
    const others: number[] = [];
    const begin = recordStarter(cells, piece, from);
    let isPlainMade = false;
    for (let number = from; number < count; number += 1) {
      const isPlain = begin(number) && plan(number);
      if (isPlain && (!isFirstMade || isPlainMade)) continue;
      others.push(number);
      isPlainMade ||= isPlain;
    }
    return { items, others, isPlainMade };
  };
}

function newItems(file: string, count: number): PlainItems {
  return {
    file,
    bytes: Buffer.alloc(0),
    lines: new Float64Array(count),
    contents: new Float64Array(count),
    keyStarts: new Int32Array(count),
    keyEnds: new Int32Array(count),
    keyTexts: [],
  };
}

/** Rows that reading would find nothing wrong with: every key is there, and columns without a name hold nothing. */
function readableCells(
  keyColumns: readonly number[],
  { header }: ChunkCsvFile["layout"],
): (cells: RecordCells) => boolean {
  const { unnamed, table } = header;
  const filled = table.columns.length === 1 ? [0, ...keyColumns] : keyColumns;
  return (cells) =>
    filled.every((column) => isFilled(cells, column)) && unnamed.every((column) => isEmpty(cells, column));
}

/** With something that can be seen; what is not ASCII may be there and not be seen. */
function isFilled({ bytes, starts, ends }: RecordCells, column: number): boolean {
  let visible = 0;
  for (let at = starts[column] ?? 0; at < (ends[column] ?? 0); at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte > 0x7f) return false;
    if (byte > 0x20) visible += 1;
  }
  return visible > 0;
}

function isEmpty({ starts, ends }: RecordCells, column: number): boolean {
  return starts[column] === ends[column];
}
