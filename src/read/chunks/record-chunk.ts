import type { CsvLayout } from "../csv/csv-layout.ts";

/**
 * Whole records of one file, as bytes that are handed to another thread: `rowsOfChunk` makes rows of them there.
 * Plain data, like `ChunkFile`.
 */
export interface RecordChunk {
  /** Which of the input's `ChunkFile`s it is from. */
  readonly file: number;
  /** 1-based line on which the bytes begin. */
  readonly line: number;
  /** UTF-8. Nothing else lies in their buffer, which may be transferred. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Behind each piece, in bytes: the records of a piece are read together, as they are where one thread reads. */
  readonly pieceEnds: readonly number[];
  /** The file begins with it. */
  readonly isFirst: boolean;
}

/** What all chunks of a file have in common. */
export interface ChunkFile {
  readonly kind: "csv";
  readonly layout: CsvLayout;
  /** Columns that no row may lack a key in. */
  readonly keys: readonly string[];
}

/** An input whose records can be made in other threads: each belongs to one row of one file. */
export interface ChunkedInput {
  /** The name of its only source. */
  readonly source: string;
  readonly files: readonly ChunkFile[];
  /** All of it, in order. Raises the failures of reading, each behind the records before it. */
  readonly chunks: (signal?: AbortSignal) => AsyncGenerator<RecordChunk>;
}

/** Some thousand records: enough to be worth a message, few enough to keep all threads at work. */
const CHUNK_BYTES = 256 * 1024;

/** Collects the pieces of one file in chunks. */
export interface ChunkBuilder {
  /** Adds a piece that begins on a line; gives a chunk once there is enough for one. */
  readonly add: (piece: Uint8Array, line: number) => RecordChunk | undefined;
  /** What was added since the last chunk. */
  readonly rest: () => RecordChunk | undefined;
}

export function newChunkBuilder(file: number): ChunkBuilder {
  let pieces: Uint8Array[] = [];
  let size = 0;
  let firstLine = 0;
  let isFirst = true;
  const rest = (): RecordChunk | undefined => {
    if (size === 0) return undefined;
    const chunk = { file, line: firstLine, isFirst, ...joined(pieces, size) };
    pieces = [];
    size = 0;
    isFirst = false;
    return chunk;
  };
  return {
    rest,
    add: (piece, line) => {
      if (piece.length === 0) return undefined;
      if (size === 0) firstLine = line;
      pieces.push(piece);
      size += piece.length;
      return size < CHUNK_BYTES ? undefined : rest();
    },
  };
}

/** Buffers share their memory with others, so the bytes are copied. */
function joined(pieces: readonly Uint8Array[], size: number): Pick<RecordChunk, "bytes" | "pieceEnds"> {
  const bytes = new Uint8Array(size);
  const pieceEnds: number[] = [];
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
    pieceEnds.push(at);
  }
  return { bytes, pieceEnds };
}
