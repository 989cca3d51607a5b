import type { InputPosition, JsonTable, RowPosition } from "../../model/record.ts";
import type { CsvLayout } from "../csv/csv-layout.ts";
import type { RecordBoundaries } from "../csv/record-boundaries.ts";

/**
 * Whole records of one file, as bytes that are handed to another thread: `rowsOfChunk` makes rows of them there.
 * Plain data, like `ChunkFile`.
 */
export interface RecordChunk {
  /** Which of the input's `ChunkFile`s it is from. */
  readonly file: number;
  /** UTF-8. Nothing else lies in their buffer, which may be transferred. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What the records of a piece hold is read together, as it is where one thread reads. */
  readonly pieces: readonly ChunkPiece[];
  /** The file begins with it. */
  readonly isFirst: boolean;
  /** Of CSV: where what follows begins, if the file can be read from there. */
  readonly next?: RowPosition | undefined;
}

interface ChunkPiece extends PieceMarks {
  /** Behind the piece, in bytes of the chunk; it begins where the one before ends. */
  readonly end: number;
}

export interface PieceMarks {
  /** 1-based line on which the piece begins. */
  readonly line: number;
  /** Of CSV: where its records are, as `findRecordBoundaries` gives them. */
  readonly boundaries?: RecordBoundaries;
  /** Of NDJSON: the line of a record in front of the piece that is too long to be kept. */
  readonly tooLongAt?: number | undefined;
  /** Of a JSON document. */
  readonly elements?: PieceElements;
}

/** Elements of an array one behind the other, without what stands between them; or the object that a document is. */
interface PieceElements {
  /** Zero-based position of the first of them in the array; absent where the document is no array. */
  readonly firstIndex: number | undefined;
  /** 1-based, for each element. */
  readonly lines: readonly number[];
  /** Bytes of each element; -1: it is too long to be kept. */
  readonly lengths: readonly number[];
}

/** What all chunks of a file have in common. */
export type ChunkFile = ChunkCsvFile | ChunkJsonFile;

export interface ChunkCsvFile extends KeyedFile {
  readonly kind: "csv";
  readonly layout: CsvLayout;
}

export interface ChunkJsonFile extends KeyedFile {
  readonly kind: "json" | "ndjson";
  readonly table: JsonTable;
  readonly jsonRecordBytes: number;
}

interface KeyedFile {
  /** Columns or paths in which no row may lack a key. */
  readonly keys: readonly string[];
}

/** An input whose records can be made in other threads: each belongs to one row of one file. */
export interface ChunkedInput {
  /** The name of its only source. */
  readonly source: string;
  readonly files: readonly ChunkFile[];
  /**
   * All of it, in order. Raises the failures of reading, each behind the records before it.
   * @param from a place at which it can begin: what stands before is left out
   */
  readonly chunks: (signal?: AbortSignal, from?: InputPosition) => AsyncGenerator<RecordChunk>;
  readonly canBeginAt: (place: InputPosition) => boolean;
}
