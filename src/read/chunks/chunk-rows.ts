import { rowsAt } from "../csv/csv-rows.ts";
import type { RecordBoundaries, RecordPlaces } from "../csv/record-boundaries.ts";
import { elementPointer, jsonRow, refusePrettyPrinted } from "../json/json-rows.ts";
import { findLines } from "../json/ndjson-lines.ts";
import { withKeyProblems } from "../row/row-key.ts";
import type { ReadRow } from "../row/read-row.ts";
import type { ChunkCsvFile, ChunkJsonFile, PieceMarks, RecordChunk } from "./record-chunk.ts";

/** A piece of a file whose rows are created on demand. */
export interface RecordPiece {
  readonly bytes: Buffer;
  /** The number to add to the line of each record in `boundaries`. */
  readonly line: number;
  /** The place of each record. If a record was too long to be kept, its end precedes its start. */
  readonly boundaries: RecordPlaces;
  /** The number of the first record: 1 if the piece begins with the header of a CSV file, otherwise 0. */
  readonly from: number;
  /** Returns the rows with these record numbers, which must be in ascending order; `undefined` for a blank line. */
  readonly rowsAt: (numbers: readonly number[]) => readonly (ReadRow | undefined)[];
}

export function* csvPiecesOf(chunk: RecordChunk, { layout, keys }: ChunkCsvFile): Generator<RecordPiece> {
  const { table } = layout.header;
  let isHeader = chunk.isFirst;
  for (const { bytes, marks } of piecesOf(chunk)) {
    const boundaries = boundariesIn(marks);
    const piece = { bytes, boundaries, line: marks.line };
    const from = isHeader && boundaries.lines.length > 0 ? 1 : 0;
    isHeader &&= boundaries.lines.length === 0;
    const rowAt = (read: ReadRow | undefined, number = 0): ReadRow | undefined => {
      const kept = marks.keptRows?.get(number);
      if (kept === undefined) return read;
      const { cells, problems } = kept;
      return { row: { table, line: marks.line + (boundaries.lines[number] ?? 0), cells }, problems };
    };
    const rows = (numbers: readonly number[]): readonly (ReadRow | undefined)[] =>
      rowsAt(piece, layout, numbers).map((read, place) => rowAt(read, numbers[place]));
    yield { ...piece, from, rowsAt: (numbers) => rows(numbers).map((row) => row && withKeyProblems(row, keys)) };
  }
}

/**
 * Yields the pieces of a chunk from a JSON or NDJSON file. If an NDJSON file is actually a pretty-printed document,
 * `rowsAt` throws a Failure `source_wrong_kind` at its first record.
 */
export function* jsonPiecesOf(chunk: RecordChunk, file: ChunkJsonFile): Generator<RecordPiece> {
  const { table, jsonRecordBytes, keys } = file;
  let isFirst = chunk.isFirst && file.kind === "ndjson";
  for (const { bytes, marks } of piecesOf(chunk)) {
    const boundaries = file.kind === "ndjson" ? findLines(bytes, marks, jsonRecordBytes) : elementsIn(marks);
    const { starts, ends, lines } = boundaries;
    const isStart = isFirst && starts.length > 0;
    isFirst &&= !isStart;
    const rowAt = (number: number): ReadRow => {
      const [start = 0, end = 0, line = 0] = [starts[number], ends[number], lines[number]];
      const text = end < start ? undefined : bytes.toString("utf8", start, end);
      if (isStart && number === 0) refusePrettyPrinted(table.file, line, text ?? "");
      const pointer = file.kind === "ndjson" ? "" : elementPointer(marks.elements?.firstIndex, number);
      return withKeyProblems(jsonRow({ table, line, pointer }, text, jsonRecordBytes), keys);
    };
    yield { bytes, boundaries, line: 0, from: 0, rowsAt: (numbers) => numbers.map(rowAt) };
  }
}

function* piecesOf({ bytes, pieces }: RecordChunk): Generator<{ readonly bytes: Buffer; readonly marks: PieceMarks }> {
  let start = 0;
  for (const { end, ...marks } of pieces) {
    yield { bytes: Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start), marks };
    start = end;
  }
}

function boundariesIn({ boundaries }: PieceMarks): RecordBoundaries {
  if (boundaries === undefined) throw new Error("a piece of a CSV file has no record boundaries");
  return boundaries;
}

function elementsIn({ elements }: PieceMarks): RecordPlaces {
  const { lines, lengths } = elements ?? { lines: [], lengths: [] };
  const starts: number[] = [];
  let start = 0;
  for (const length of lengths) {
    starts.push(start);
    start += Math.max(0, length);
  }
  return { starts, ends: starts.map((at, number) => at + (lengths[number] ?? 0)), lines };
}
