import type { InputRecord } from "../../../model/record.ts";
import type { RowOrder } from "../../../model/source-spec.ts";
import type { CsvBytes, CsvRecords } from "../../csv/csv-records.ts";
import type { ChunkCsvFile } from "../../chunks/record-chunk.ts";

/**
 * Records of the root source and the child records joined to them, as bytes. `joinedPiece` creates the rows from them
 * in another thread. Plain data.
 */
export interface JoinedChunk {
  /** Index, among the root source's files, of the file that contains the root records. */
  readonly file: number;
  readonly root: CsvRecords<SentBytes>;
  /** The records of each child source that belong to these root records, in the order of its files. */
  readonly children: readonly (readonly ChildSlice[])[];
}

/** Records of one file of a child source, grouped by parent. */
export interface ChildSlice extends CsvBytes<SentBytes> {
  readonly file: number;
  /** For each record: the number of its parent in the piece of the root source. In ascending order. */
  readonly parents: Int32Array;
}

/** Bytes whose buffer contains no other data, so that the buffer can be transferred to another thread. */
type SentBytes = Uint8Array<ArrayBuffer>;

/** Records that are not transferred as bytes. Their numbers start at 1 and continue across all such batches. */
interface RecordBatch {
  readonly records: readonly InputRecord[];
}

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
   * Yields all chunks in order, then batches of orphans. If the records cannot be joined as bytes, yields all records
   * as batches instead. If reading fails, throws the failure after all earlier records.
   */
  readonly chunks: (signal?: AbortSignal) => AsyncGenerator<JoinedChunk | RecordBatch>;
}
