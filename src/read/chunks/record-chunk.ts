import type { LocalProblem } from "../../model/problem.ts";
import type { InputPosition, JsonTable, RowPosition } from "../../model/record.ts";
import type { CsvLayout } from "../csv/csv-layout.ts";
import type { RecordBoundaries } from "../csv/record-boundaries.ts";

/**
 * Complete records of one file as bytes, from which another thread creates the rows. Plain data that can be posted to a
 * thread, like `ChunkFile`.
 */
export interface RecordChunk extends ChunkContent {
  /** Index of the chunk's file among the input's `ChunkFile`s. */
  readonly file: number;
  /**
   * Whether the chunk begins at the start of the file, including any header. Always false for a sheet, whose header is
   * omitted.
   */
  readonly isFirst: boolean;
  /** For CSV: the position of the record after the chunk, if the file can be read from there. */
  readonly next?: RowPosition | undefined;
}

export interface ChunkContent {
  /** UTF-8. The buffer contains no other data, so it can be transferred to another thread. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Groups of records that are read together. A single thread would read the same groups. */
  readonly pieces: readonly ChunkPiece[];
}

interface ChunkPiece extends PieceMarks {
  /** Offset in the chunk at which the piece ends. The piece starts where the previous piece ends. */
  readonly end: number;
}

export interface PieceMarks {
  /** 1-based line on which the piece starts. */
  readonly line: number;
  /** For CSV and sheets of workbooks: the positions of the records. */
  readonly boundaries?: RecordBoundaries;
  /** For a sheet: the rows that need the row path, by record number. They replace the rows in the bytes. */
  readonly keptRows?: ReadonlyMap<number, KeptRow>;
  /** For NDJSON: the line of a record that precedes the piece and is too long to be kept. */
  readonly tooLongAt?: number | undefined;
  /** For a JSON document: the elements in the piece. */
  readonly elements?: PieceElements;
}

/** A row of a sheet that has problems or contains text that bytes cannot represent. */
export interface KeptRow {
  readonly cells: readonly string[];
  readonly problems: readonly LocalProblem[];
}

/** Concatenated elements of an array, without separators; or the object that forms the document. */
interface PieceElements {
  /** Zero-based index of the first element in the array; absent if the document is not an array. */
  readonly firstIndex: number | undefined;
  /** For each element: the 1-based line on which it starts. */
  readonly lines: readonly number[];
  /** For each element: its number of bytes; -1 if it is too long to be kept. */
  readonly lengths: readonly number[];
}

/** Properties shared by all chunks of a file. */
export type ChunkFile = ChunkCsvFile | ChunkJsonFile;

/** A CSV file, or a sheet whose rows have been converted to CSV. */
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
  /** The columns or paths in which every row must have a key. */
  readonly keys: readonly string[];
}

/** An input whose records can be created in other threads, because each record is one row of one file. */
export interface ChunkedInput {
  /** The name of the input's only source. */
  readonly source: string;
  readonly files: readonly ChunkFile[];
  /**
   * Yields all chunks, in order. If reading fails, throws the failure after all earlier chunks.
   * @param from where to start; earlier records are omitted
   */
  readonly chunks: (signal?: AbortSignal, from?: InputPosition) => AsyncGenerator<RecordChunk>;
  readonly canBeginAt: (place: InputPosition) => boolean;
}
