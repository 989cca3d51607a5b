import { csvPiecesOf, jsonPiecesOf, type RecordPiece } from "../../read/chunks/chunk-rows.ts";
import type { ChunkedInput, RecordChunk } from "../../read/chunks/record-chunk.ts";
import type { JoinedChunk, JoinedInput } from "../../read/join/bytes/joined-chunk.ts";
import { joinedPiece } from "../../read/join/bytes/joined-piece.ts";
import { BATCH_ROWS, type ReadRow } from "../../read/row/read-row.ts";
import type { ScanRecords, PiecePart, FastPathResult } from "./scan-records.ts";
import type { CompileFile } from "./compile-fast-path.ts";

/** A part of an input, as bytes. */
export type ByteChunk = RecordChunk | JoinedChunk;

export type InputInChunks = ChunkedInput | JoinedInput;

/** Properties shared by all chunks of an input. */
export interface ChunkSource extends Pick<ChunkedInput, "source" | "files"> {
  /** Present if the files of the input are joined. */
  readonly children?: JoinedInput["children"];
}

export function buffersOf(chunk: ByteChunk): readonly ArrayBuffer[] {
  if (!("root" in chunk)) return [chunk.bytes.buffer];
  return [chunk.root, ...chunk.children.flat()].map(({ bytes }) => bytes.buffer);
}

/** Returns the size of a chunk in bytes, including joined rows. */
export function sizeOf(chunk: ByteChunk): number {
  return buffersOf(chunk).reduce((sum, buffer) => sum + buffer.byteLength, 0);
}

export function piecesIn(chunk: ByteChunk, input: ChunkSource): Iterable<RecordPiece> {
  if ("root" in chunk) return [joinedPiece(chunk, input)];
  const file = input.files[chunk.file];
  if (file === undefined) return [];
  return file.kind === "csv" ? csvPiecesOf(chunk, file) : jsonPiecesOf(chunk, file);
}

export function* rowsIn(chunk: ByteChunk, input: ChunkSource): Generator<readonly ReadRow[]> {
  for (const piece of piecesIn(chunk, input)) {
    const rows = rowsOfPart(piece);
    for (let at = 0; at < rows.length; at += BATCH_ROWS) yield rows.slice(at, at + BATCH_ROWS);
  }
}

export function rowsOfPart({ boundaries, from, to = boundaries.starts.length, rowsAt }: PiecePart): readonly ReadRow[] {
  const numbers = Array.from({ length: to - from }, (_, index) => from + index);
  return rowsAt(numbers).filter((read) => read !== undefined);
}

/** Returns the scanner for a file (by its index), or undefined if the file's records need the row path. */
export type ScannerOf = (file: number) => ScanRecords | undefined;

export function scannersOf(compile: CompileFile | undefined, { files, children = [] }: ChunkSource): ScannerOf {
  const known = new Map<number, ScanRecords | undefined>();
  return (number) => {
    const file = files[number];
    if (compile === undefined || file === undefined) return undefined;
    const find = known.has(number) ? known.get(number) : compile(file, children);
    known.set(number, find);
    return find;
  };
}

/**
 * Visits the records of a scanned piece in order, and skips blank lines. Creates rows only for records on the row path.
 * @param visit receives the number of the record in the piece, and its row; undefined for a fast-path record
 */
export function visitRecords(
  { from, boundaries, to = boundaries.starts.length, rowsAt }: PiecePart,
  { others }: FastPathResult,
  visit: (number: number, read: ReadRow | undefined) => void,
): void {
  const rows = rowsAt(others);
  let next = 0;
  for (let number = from; number < to; number += 1) {
    if (others[next] !== number) {
      visit(number, undefined);
      continue;
    }
    const read = rows[next];
    next += 1;
    if (read !== undefined) visit(number, read);
  }
}

/** Counts the records that `visitRecords` visits. */
export function countRecords({ bytes, boundaries, from, to = boundaries.starts.length, rowsAt }: PiecePart): number {
  let count = 0;
  for (let number = from; number < to; number += 1) {
    const byte = bytes[boundaries.starts[number] ?? 0] ?? 0;
    const isText = byte > SPACE && byte < DELETE && byte !== QUOTE;
    if (isText || rowsAt([number])[0] !== undefined) count += 1;
  }
  return count;
}

const [SPACE, QUOTE, DELETE] = [0x20, 0x22, 0x7f];
