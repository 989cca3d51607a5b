import type { Job } from "../../job/job.ts";
import { addToRecordNumbers, unpackItems } from "../../ledger/packed/packed-items.ts";
import type { ChunkedInput, RecordChunk } from "../../read/chunks/record-chunk.ts";
import type { ShownValues } from "../../report/shown-values.ts";
import type { ItemSettings, PlannedBatch } from "../plan-items.ts";
import type { PackedBatch } from "./check-chunk.ts";
import type { ChunkAnswer, ChunkWork } from "./chunk-worker.ts";
import { unpackFailure } from "../../model/thread-failure.ts";
import { inThreads, type Task } from "./thread-pool.ts";

interface CheckInThreads {
  /** At least 1. */
  readonly threads: number;
  readonly items: ItemSettings;
  readonly shownValues: ShownValues | undefined;
  readonly signal: AbortSignal;
}

/**
 * What `planItems` gives for `checkedRecords`, batch for batch, made in worker threads: this thread finds where records
 * end, and puts what comes of them in order.
 */
export async function* checkInThreads(
  { settings, contract, now }: Job,
  input: ChunkedInput,
  { threads, items, shownValues, signal }: CheckInThreads,
): AsyncGenerator<PlannedBatch> {
  const { source, files } = input;
  const check = { items, showValues: shownValues !== undefined };
  const workerData: ChunkWork = { settings, contract: { ...contract, document: {} }, now, source, files, check };
  const entry = new URL("./chunk-worker.js", import.meta.url);
  const answers = inThreads<ChunkAnswer>(chunkTasks(input.chunks(signal)), { entry, workerData, threads });
  let left = settings.limit ?? Number.POSITIVE_INFINITY;
  let before = 0;
  try {
    for await (const { records, checked } of answers) {
      for (const packed of checked.batches) {
        const batch = batchOf(packed, before, left);
        if (shownValues) noteValues(packed, batch.count, shownValues);
        left -= batch.count;
        yield batch;
        if (left <= 0) return;
      }
      if (checked.failure) throw unpackFailure(checked.failure);
      before += records;
    }
  } catch (error) {
    // The input ends early, without an error, when the user stops the run.
    if (error !== signal.reason) throw error;
  }
}

async function* chunkTasks(chunks: AsyncIterable<RecordChunk>): AsyncGenerator<Task> {
  for await (const chunk of chunks) yield { message: chunk, transfer: [chunk.bytes.buffer] };
}

/** With the records' numbers in the whole input; of the items no more than `most`. */
function batchOf({ items, ...batch }: PackedBatch, before: number, most: number): PlannedBatch {
  addToRecordNumbers(items, before);
  if (batch.count <= most) return { ...batch, items };
  const isTaken = (position: number): boolean => position < most;
  return {
    count: most,
    items: unpackItems(items).slice(0, most),
    invalid: batch.invalid.filter(isTaken),
    excluded: batch.excluded,
    keyColumns: batch.keyColumns.filter(({ position }) => isTaken(position)),
  };
}

function noteValues({ shown }: PackedBatch, taken: number, shownValues: ShownValues): void {
  for (const [position, place, value] of shown) if (position < taken) shownValues.noteValue(place, value);
}
