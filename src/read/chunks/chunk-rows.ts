import { csvPieces } from "../csv/csv-rows.ts";
import { byteKinds, findRecordBoundaries } from "../csv/record-boundaries.ts";
import { elementPointer, jsonRow, refusePrettyPrinted } from "../json/json-rows.ts";
import { lineSplitter } from "../json/ndjson-lines.ts";
import { withKeyProblems } from "../row/key-problems.ts";
import { BATCH_ROWS, type ReadRow } from "../row/read-row.ts";
import type { ChunkCsvFile, ChunkFile, ChunkJsonFile, PieceMarks, RecordChunk } from "./record-chunk.ts";

/** The rows of a chunk in batches: the same that reading the whole file in one thread gives. */
export function* rowsOfChunk(chunk: RecordChunk, files: readonly ChunkFile[]): Generator<readonly ReadRow[]> {
  const file = files[chunk.file];
  if (file === undefined) throw new Error(`the input has no file ${chunk.file}`);
  const { keys } = file;
  const rowsOf = pieceReader(file, chunk.isFirst);
  let start = 0;
  for (const { end, ...marks } of chunk.pieces) {
    const read = rowsOf(Buffer.from(chunk.bytes.buffer, chunk.bytes.byteOffset + start, end - start), marks);
    const rows = keys.length === 0 ? read : read.map((row) => withKeyProblems(row, keys));
    for (let at = 0; at < rows.length; at += BATCH_ROWS) yield rows.slice(at, at + BATCH_ROWS);
    start = end;
  }
}

/** Makes rows of one piece after the other. */
type PieceReader = (bytes: Buffer, marks: PieceMarks) => readonly ReadRow[];

function pieceReader(file: ChunkFile, isFirst: boolean): PieceReader {
  if (file.kind === "csv") return csvReader(file, isFirst);
  return file.kind === "ndjson" ? ndjsonReader(file, isFirst) : elementReader(file);
}

/** A piece ends where a record does: nothing follows that could belong to it. */
function csvReader({ layout }: ChunkCsvFile, isFirst: boolean): PieceReader {
  const kinds = byteKinds(layout.delimiter);
  const readPiece = csvPieces(layout, { isBehindHeader: !isFirst });
  return (bytes, { line }) => readPiece(bytes, findRecordBoundaries(bytes, kinds, true), line).found;
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
