import type { InputRecord } from "../../../model/record.ts";
import type { RowOrder } from "../../../model/source-spec.ts";
import type { CsvBytes, CsvRecords } from "../../csv/csv-records.ts";
import type { ChunkCsvFile } from "../../chunks/record-chunk.ts";

/**
 * Records of the root source with the records joined to them as bytes, from which `joinedPiece` creates the rows in
 * another thread. Plain data.
 */
export interface JoinedChunk {
  /** Index of their file among the root's files. */
  readonly file: number;
  readonly root: Sent<CsvRecords>;
  /** The records of each child source that belong to these root records, in the order of its files. */
  readonly children: readonly (readonly ChildSlice[])[];
}

/** Records of one file of a child source, grouped by parent. */
export interface ChildSlice extends Sent<CsvBytes> {
  readonly file: number;
  /** The number of each record's parent among the root's records, in ascending order. */
  readonly parents: Int32Array;
}

/** The buffer contains only these bytes, so it can be transferred. */
type Sent<Records extends CsvBytes> = Omit<Records, "bytes"> & { readonly bytes: Uint8Array<ArrayBuffer> };

/** Records that only one thread can read, numbered from 1 across all such records. */
interface RecordBatch {
  readonly records: readonly InputRecord[];
}

/** A source that is joined to the root source. */
export interface JoinedSource {
  readonly name: string;
  readonly files: readonly ChunkCsvFile[];
  readonly orderBy: RowOrder | undefined;
}

/** An input whose records can be joined as bytes and created in other threads. */
export interface JoinedInput {
  /** The name of the root source. */
  readonly source: string;
  readonly files: readonly ChunkCsvFile[];
  readonly children: readonly JoinedSource[];
  /**
   * All chunks, in order; batches of records follow after all chunks, or replace them. A read failure is thrown
   * after the records before it.
   */
  readonly chunks: (signal?: AbortSignal) => AsyncGenerator<JoinedChunk | RecordBatch>;
}
