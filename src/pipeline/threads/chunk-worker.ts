import { parentPort, workerData } from "node:worker_threads";
import type { Contract } from "../../contract/contract.ts";
import { compileJob, type JobSettings, readJobMapping } from "../../job/job.ts";
import type { InputRecord } from "../../model/record.ts";
import { rowsOfChunk } from "../../read/chunks/chunk-rows.ts";
import type { ChunkFile, RecordChunk } from "../../read/chunks/record-chunk.ts";
import { type CheckAnswer, checkChunks, type CheckSettings } from "./check-chunk.ts";
import { packFailure, type ThreadFailure } from "../../model/thread-failure.ts";

/**
 * What a worker thread knows: it compiles the job anew from its settings, opens no source, and makes something of the
 * chunks that it is sent.
 */
export interface ChunkWork {
  readonly settings: JobSettings;
  readonly contract: Contract;
  /** What rules take for now, in milliseconds since 1970: the same in all threads. */
  readonly now: number;
  /** The name of the source. */
  readonly source: string;
  readonly files: readonly ChunkFile[];
  readonly check: CheckSettings;
}

/** The answer to a `RecordChunk`, in the order of the chunks. */
export interface ChunkAnswer {
  /** Records in the chunk, the unwanted ones among them. */
  readonly records: number;
  readonly checked: CheckAnswer;
}

const work: ChunkWork = workerData;
const started = start(work);

parentPort?.on("message", (chunk: RecordChunk) => {
  void reply(chunk);
});

async function reply(chunk: RecordChunk): Promise<void> {
  const answer = (await started)(chunk);
  parentPort?.postMessage(
    answer,
    answer.checked.batches.map(({ items }) => items.columns),
  );
}

/** Where the job cannot be compiled, which it could be a moment before, that is the answer to every chunk. */
async function start({
  settings,
  contract,
  now,
  source,
  files,
  check,
}: ChunkWork): Promise<(chunk: RecordChunk) => ChunkAnswer> {
  try {
    const document = await readJobMapping(settings);
    const job = await compileJob(settings, { contract, document, now }, () => undefined);
    const checkBatches = checkChunks(job, check);
    return (chunk) => {
      const records = numbered(chunk, { source, files });
      const checked = checkBatches(records.batches);
      return { records: records.count(), checked };
    };
  } catch (error) {
    const failure: ThreadFailure = packFailure(error);
    return () => ({ records: 0, checked: { batches: [], failure } });
  }
}

/** The records of a chunk, numbered from 1: their numbers in the whole input are not known here. */
function numbered(
  chunk: RecordChunk,
  { source, files }: Pick<ChunkWork, "source" | "files">,
): { readonly batches: Iterable<readonly InputRecord[]>; readonly count: () => number } {
  let count = 0;
  return {
    count: () => count,
    batches: (function* () {
      for (const rows of rowsOfChunk(chunk, files)) {
        yield rows.map((read) => {
          count += 1;
          return { number: count, source, orphan: false, ...read };
        });
      }
    })(),
  };
}
