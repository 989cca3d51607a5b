import { parentPort, workerData } from "node:worker_threads";
import type { Contract } from "../../contract/contract.ts";
import { compileJob, type JobSettings, readJobMapping } from "../../job/job.ts";
import type { RecordChunk } from "../../read/chunks/record-chunk.ts";
import { checkBatches, type CheckSettings } from "./check-batches.ts";
import { type ChunkAnswer, checkChunks, type ChunkSource } from "./check-chunks.ts";
import { type PackedRecords, recordUnpacker } from "./packed-records.ts";
import { packFailure, type ThreadFailure } from "../../model/thread-failure.ts";

/**
 * What a worker thread is started with (`workerData`): it compiles the job anew from its settings, and opens no source.
 *
 * Another kind of work on the same records, such as the making of request bodies, takes three things: a function like
 * `checkBatches`, which takes the compiled job and gives one from the batches of a task to its answer; a place for its
 * settings here, beside `check`; and a reader of its answers like `checkInThreads`. The answers come in the order of
 * the input, however many threads there are (`inThreads`).
 */
export interface ChunkWork {
  readonly settings: JobSettings;
  readonly contract: Contract;
  /** What rules take for now, in milliseconds since 1970: the same in all threads. */
  readonly now: number;
  /** Where the input comes in chunks: what all of them have in common. */
  readonly input: ChunkSource;
  readonly check: CheckSettings;
}

/** Some of the input: as bytes, or as records where other threads cannot make them. Each is answered, in order. */
export type ChunkTask = RecordChunk | PackedRecords;

const work: ChunkWork = workerData;
const started = start(work);

parentPort?.on("message", (task: ChunkTask) => {
  void reply(task);
});

async function reply(task: ChunkTask): Promise<void> {
  const answer = (await started)(task);
  parentPort?.postMessage(
    answer,
    answer.checked.batches.map(({ items }) => items.columns),
  );
}

/** Where the job cannot be compiled, which it could be a moment before, that is the answer to every task. */
async function start({ settings, contract, now, input, check }: ChunkWork): Promise<(task: ChunkTask) => ChunkAnswer> {
  try {
    const document = await readJobMapping(settings);
    const job = await compileJob(settings, { contract, document, now }, () => undefined);
    const ofChunk = checkChunks(job, input, check);
    const checked = checkBatches(job, check);
    const unpack = recordUnpacker();
    return (task) =>
      "bytes" in task ? ofChunk(task) : { unnumbered: 0, checked: checked([{ records: unpack(task) }]) };
  } catch (error) {
    const failure: ThreadFailure = packFailure(error);
    return () => ({ unnumbered: 0, checked: { batches: [], failure } });
  }
}
