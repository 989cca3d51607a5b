import { csvPieces } from "../csv/csv-rows.ts";
import { byteKinds, findRecordBoundaries } from "../csv/record-boundaries.ts";
import { withKeyProblems } from "../key-problems.ts";
import { BATCH_ROWS, type ReadRow } from "../read-row.ts";
import type { ChunkFile, RecordChunk } from "./record-chunk.ts";

/** The rows of a chunk in batches: the same that reading the whole file in one thread gives. */
export function* rowsOfChunk(chunk: RecordChunk, files: readonly ChunkFile[]): Generator<readonly ReadRow[]> {
  const file = files[chunk.file];
  if (file === undefined) throw new Error(`the input has no file ${chunk.file}`);
  const { keys } = file;
  for (const piece of csvRowsOf(chunk, file)) {
    const rows = keys.length === 0 ? piece : piece.map((row) => withKeyProblems(row, keys));
    for (let start = 0; start < rows.length; start += BATCH_ROWS) yield rows.slice(start, start + BATCH_ROWS);
  }
}

/** A piece ends where a record does: nothing follows that could belong to it. */
function* csvRowsOf(
  { bytes: { buffer, byteOffset }, line: firstLine, pieceEnds, isFirst }: RecordChunk,
  { layout }: ChunkFile,
): Generator<readonly ReadRow[]> {
  const kinds = byteKinds(layout.delimiter);
  const readPiece = csvPieces(layout, { isBehindHeader: !isFirst });
  let start = 0;
  let line = firstLine;
  for (const end of pieceEnds) {
    const bytes = Buffer.from(buffer, byteOffset + start, end - start);
    const boundaries = findRecordBoundaries(bytes, kinds, true);
    const { found } = readPiece(bytes, boundaries, line);
    if (found.length > 0) yield found;
    line += boundaries.nextLine;
    start = end;
  }
}
