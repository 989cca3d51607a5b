import type { CsvBytes } from "../csv/csv-records.ts";
import { csvPieces, rowsAt } from "../csv/csv-rows.ts";
import type { RecordBoundaries } from "../csv/record-boundaries.ts";
import { elementPointer, jsonRow, refusePrettyPrinted } from "../json/json-rows.ts";
import { lineSplitter } from "../json/ndjson-lines.ts";
import { withKeyProblems } from "../row/key-problems.ts";
import { BATCH_ROWS, type ReadRow } from "../row/read-row.ts";
import type { ChunkCsvFile, ChunkFile, ChunkJsonFile, PieceMarks, RecordChunk } from "./record-chunk.ts";

/** Yields the rows of a chunk in batches. All chunks of a file together contain the rows that `rowsOfFile` reads. */
export function* rowsOfChunk(chunk: RecordChunk, files: readonly ChunkFile[]): Generator<readonly ReadRow[]> {
  const file = fileOf(chunk, files);
  const rowsOf = pieceReader(file, chunk.isFirst);
  for (const { bytes, marks } of piecesOf(chunk)) {
    const rows = withKeys(rowsOf(bytes, marks), file.keys);
    for (let at = 0; at < rows.length; at += BATCH_ROWS) yield rows.slice(at, at + BATCH_ROWS);
  }
}

/** A piece of a CSV file whose rows are created on demand. */
export interface CsvPiece extends CsvBytes {
  /** The number of the first record after the header: 1 if the piece begins with the header, otherwise 0. */
  readonly from: number;
  /** Returns the rows with these record numbers, which must be in ascending order; `undefined` for a blank line. */
  readonly rowsAt: (numbers: readonly number[]) => readonly (ReadRow | undefined)[];
}

/** Yields the pieces of a chunk of a CSV file. */
export function* csvPiecesOf(chunk: RecordChunk, { layout, keys }: ChunkCsvFile): Generator<CsvPiece> {
  let isHeader = chunk.isFirst;
  for (const { bytes, marks } of piecesOf(chunk)) {
    const boundaries = boundariesIn(marks);
    const piece = { bytes, boundaries, line: marks.line };
    const from = isHeader && boundaries.lines.length > 0 ? 1 : 0;
    isHeader &&= boundaries.lines.length === 0;
    yield {
      ...piece,
      from,
      rowsAt: (numbers) => rowsAt(piece, layout, numbers).map((row) => row && withKeys([row], keys)[0]),
    };
  }
}

function fileOf(chunk: RecordChunk, files: readonly ChunkFile[]): ChunkFile {
  const file = files[chunk.file];
  if (file === undefined) throw new Error(`the input has no file ${chunk.file}`);
  return file;
}

function* piecesOf({ bytes, pieces }: RecordChunk): Generator<{ readonly bytes: Buffer; readonly marks: PieceMarks }> {
  let start = 0;
  for (const { end, ...marks } of pieces) {
    yield { bytes: Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start), marks };
    start = end;
  }
}

function withKeys(rows: readonly ReadRow[], keys: readonly string[]): readonly ReadRow[] {
  return keys.length === 0 ? rows : rows.map((row) => withKeyProblems(row, keys));
}

/** Creates the rows of a piece. Call it for the pieces of a chunk in order. */
type PieceReader = (bytes: Buffer, marks: PieceMarks) => readonly ReadRow[];

function pieceReader(file: ChunkFile, isFirst: boolean): PieceReader {
  if (file.kind === "csv") return csvReader(file, isFirst);
  return file.kind === "ndjson" ? ndjsonReader(file, isFirst) : elementReader(file);
}

function csvReader({ layout }: ChunkCsvFile, isFirst: boolean): PieceReader {
  const readPiece = csvPieces(layout, { isBehindHeader: !isFirst });
  return (bytes, marks) => readPiece(bytes, boundariesIn(marks), marks.line).found;
}

function boundariesIn({ boundaries }: PieceMarks): RecordBoundaries {
  if (boundaries === undefined) throw new Error("a piece of a CSV file has no record boundaries");
  return boundaries;
}

function ndjsonReader({ table, jsonRecordBytes }: ChunkJsonFile, isFirst: boolean): PieceReader {
  let first = isFirst;
  return (bytes, { line, tooLongAt }) => {
    const splitter = lineSplitter(jsonRecordBytes, { byte: 0, line });
    const tooLong = tooLongAt === undefined ? [] : [{ text: undefined, line: tooLongAt }];
    const lines = [...tooLong, ...splitter.push(bytes)];
    const last = splitter.end();
    if (last !== undefined) lines.push(last);
    if (first && lines[0] !== undefined) {
      refusePrettyPrinted(table.file, lines[0].line, lines[0].text ?? "");
      first = false;
    }
    return lines.map((found) => jsonRow({ table, line: found.line, pointer: "" }, found.text, { jsonRecordBytes }));
  };
}

function elementReader({ table, jsonRecordBytes }: ChunkJsonFile): PieceReader {
  return (bytes, { elements }) => {
    const { firstIndex, lines, lengths } = elements ?? { firstIndex: 0, lines: [], lengths: [] };
    let start = 0;
    return lines.map((line, index) => {
      const length = lengths[index] ?? -1;
      const text = length < 0 ? undefined : bytes.toString("utf8", start, start + length);
      start += Math.max(0, length);
      return jsonRow({ table, line, pointer: elementPointer(firstIndex, index) }, text, { jsonRecordBytes });
    });
  };
}
