import type { InputRecord } from "../../../model/record.ts";
import type { RowOrder } from "../../../model/source-spec.ts";
import type { CsvBytes, CsvRecords } from "../../csv/csv-records.ts";
import type { ChunkCsvFile } from "../../chunks/record-chunk.ts";

/**
 * Some records of the root source with the records joined to them, as bytes that are handed to another thread:
 * `joinedPiece` makes rows of them there. Plain data.
 */
export interface JoinedChunk {
  /** Which of the root's files they are from. */
  readonly file: number;
  readonly root: Sent<CsvRecords>;
  /** For each child source the records that belong to these, in the order of its files. */
  readonly children: readonly (readonly ChildSlice[])[];
}

/** Records of one file of a child source, those of one parent together. */
export interface ChildSlice extends Sent<CsvBytes> {
  readonly file: number;
  /** For each record the number of the root's record that it belongs to. They go up. */
  readonly parents: Int32Array;
}

/** Nothing else lies in the buffer of the bytes, which may be transferred. */
type Sent<Records extends CsvBytes> = Omit<Records, "bytes"> & { readonly bytes: Uint8Array<ArrayBuffer> };

/** Records that only one thread can read, numbered from 1 over all that come so. */
interface RecordBatch {
  readonly records: readonly InputRecord[];
}

/** A source that is joined to the root source. */
export interface JoinedSource {
  readonly name: string;
  readonly files: readonly ChunkCsvFile[];
  readonly orderBy: RowOrder | undefined;
}

/** An input whose records can be joined as bytes, and made in other threads. */
export interface JoinedInput {
  /** The name of the root source. */
  readonly source: string;
  readonly files: readonly ChunkCsvFile[];
  readonly children: readonly JoinedSource[];
  /**
   * All of it, in order; batches of records come only behind all chunks, or where there are none. Raises the failures of
   * reading, each behind the records before it.
   */
  readonly chunks: (signal?: AbortSignal) => AsyncGenerator<JoinedChunk | RecordBatch>;
}
