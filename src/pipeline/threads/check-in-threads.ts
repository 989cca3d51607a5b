import type { Job } from "../../job/job.ts";
import { addToRecordNumbers, packItems, unpackItems } from "../../ledger/packed/packed-items.ts";
import type { InputRecord } from "../../model/record.ts";
import type { ShownValues } from "../../report/shown-values.ts";
import type { ItemSettings, PlannedBatch } from "../plan/plan-items.ts";
import type { PackedBatch } from "./check-batches.ts";
import { buffersOf, type ByteChunk, type ChunkSource, type InputInChunks, sizeOf } from "../bytes/chunk-pieces.ts";
import type { ChunkAnswer } from "./check-chunks.ts";
import type { PackedPayloads } from "./packed-payloads.ts";
import { checkTasks, type ChunkTask, type TaskChecks } from "./check-tasks.ts";
import type { ChunkWork } from "./chunk-worker.ts";
import { recordPacker } from "./packed-records.ts";
import { unpackFailure } from "../../model/thread-failure.ts";
import { bytesOf, createHelpTest, type ThreadPlan } from "./thread-count.ts";
import { inThreads, type Task } from "./thread-pool.ts";

interface CheckOptions {
  readonly items: ItemSettings;
  readonly shownValues: ShownValues | undefined;
  readonly signal: AbortSignal;
}

/** Options for checking in `threads` threads, at least 2. */
export interface CheckInThreads extends CheckOptions, ThreadPlan {}

/**
 * Produces the same plan items as `checkedRecords` followed by `planItems`, but in several threads. The calling thread
 * finds record boundaries (or reads records if necessary) and collects the answers in order. It also checks records
 * while the other threads are busy. With `onlyIfSlow`, the calling thread checks alone until other threads would help.
 */
export function checkInThreads(job: Job, options: CheckInThreads): AsyncGenerator<PlannedBatch> {
  const { settings, contract, now, input } = job;
  const { threads, items, shownValues, signal } = options;
  const inChunks = input.chunked ?? input.joined;
  const { source, files, children } = sourceOf(inChunks);
  const check = { items, showValues: shownValues !== undefined };
  // The worker threads do not need the document, and copying it takes time.
  const workContract = { ...contract, document: {} };
  const common = { source, files, children: children.map((child) => ({ ...child, orderBy: undefined })) };
  const workerData: ChunkWork = { settings, contract: workContract, now, input: common, check };
  const entry = new URL("./chunk-worker.js", import.meta.url);
  const pool = { entry, workerData, workers: threads - 1, signal };
  if (inChunks === undefined) {
    // This thread checks nothing, because reading the records keeps it busy.
    return inOrder(job, inThreads<ChunkAnswer, ChunkTask>(recordTasks(input.records({ signal })), pool), options);
  }
  const chunks = inChunks.chunks(signal);
  // This thread checks nothing. Functions run in separate threads, so this thread would only wait for them.
  if (job.mapping.prepare !== undefined) {
    return inOrder(job, inThreads<ChunkAnswer, ChunkTask>(chunkTasks(chunks), { ...pool, workers: threads }), options);
  }
  const here = checkTasks(job, sourceOf(inChunks), check);
  const withHelp = (rest: Chunks): AsyncGenerator<ChunkAnswer> =>
    inThreads(chunkTasks(rest), { ...pool, here: here.ofTask });
  if (!options.onlyIfSlow) return inOrder(job, withHelp(chunks), options);
  return inOrder(job, untilSlow(chunks, here, createHelpTest(bytesOf(input.files)), withHelp), options);
}

type Chunk = ByteChunk | { readonly records: readonly InputRecord[] };
type Chunks = AsyncGenerator<Chunk>;

async function* untilSlow(
  chunks: Chunks,
  here: TaskChecks,
  needsHelp: (bytes: number) => boolean,
  withHelp: (rest: Chunks) => AsyncGenerator<ChunkAnswer>,
): AsyncGenerator<ChunkAnswer> {
  let isSlow = false;
  try {
    while (!isSlow) {
      const next = await chunks.next();
      if (next.done === true) return;
      const chunk = next.value;
      yield await answerHere(chunk, here);
      isSlow = !("records" in chunk) && needsHelp(sizeOf(chunk));
    }
    yield* withHelp(chunks);
  } finally {
    await chunks.return(undefined);
  }
}

function answerHere(chunk: Chunk, { ofTask, ofRecords }: TaskChecks): ChunkAnswer | Promise<ChunkAnswer> {
  return "records" in chunk ? ofRecords(chunk.records) : ofTask(chunk);
}

function sourceOf(input: InputInChunks | undefined): Required<ChunkSource> {
  const { source, files } = input ?? { source: "", files: [] };
  return { source, files, children: input !== undefined && "children" in input ? input.children : [] };
}

interface CheckHere extends CheckOptions {
  /** Receives each chunk, its number of records, and the payloads to send. */
  readonly keep?: ((chunk: ByteChunk, records: number, payloads: PackedPayloads) => void) | undefined;
}

/** Checks the chunks of an input in the calling thread only. */
export function checkChunksHere(job: Job, inChunks: InputInChunks, options: CheckHere): AsyncGenerator<PlannedBatch> {
  const { items, shownValues, signal, keep } = options;
  const settings = { items, showValues: shownValues !== undefined, keepsPayloads: keep !== undefined };
  const checks = checkTasks(job, sourceOf(inChunks), settings);
  const answers = async function* (): AsyncGenerator<ChunkAnswer> {
    for await (const chunk of inChunks.chunks(signal)) {
      const answer = await answerHere(chunk, checks);
      if (answer.payloads !== undefined && !("records" in chunk)) keep?.(chunk, answer.unnumbered, answer.payloads);
      yield answer;
    }
  };
  return inOrder(job, answers(), options);
}

async function* inOrder(
  { settings }: Job,
  answers: AsyncIterable<ChunkAnswer>,
  { shownValues, signal }: CheckOptions,
): AsyncGenerator<PlannedBatch> {
  let left = settings.limit ?? Number.POSITIVE_INFINITY;
  let before = 0;
  try {
    for await (const { unnumbered, checked } of answers) {
      for (const packed of checked.batches) {
        const batch = batchOf(packed, before, left);
        if (shownValues) noteValues(packed, batch.count, shownValues);
        left -= batch.count;
        yield batch;
        if (left <= 0) return;
      }
      if (checked.failure) throw unpackFailure(checked.failure);
      before += unnumbered;
    }
  } catch (error) {
    // If the user stops the run, the input ends early without an error.
    if (error !== signal.reason) throw error;
  }
}

async function* recordTasks(batches: AsyncIterable<readonly InputRecord[]>): AsyncGenerator<Task<ChunkTask>> {
  const pack = recordPacker();
  for await (const batch of batches) yield { message: pack(batch), transfer: [] };
}

async function* chunkTasks(chunks: Chunks): AsyncGenerator<Task<ChunkTask>> {
  const pack = recordPacker();
  for await (const chunk of chunks) {
    if ("records" in chunk) yield { message: pack(chunk.records), transfer: [] };
    else yield { message: chunk, transfer: buffersOf(chunk) };
  }
}

/** Adds `before` to the record numbers. Keeps at most `limit` items. */
function batchOf({ items, ...batch }: PackedBatch, before: number, limit: number): PlannedBatch {
  addToRecordNumbers(items, before);
  if (batch.count <= limit) return { ...batch, items };
  const isTaken = ({ position }: { readonly position: number }): boolean => position < limit;
  return {
    count: limit,
    items: packItems(unpackItems(items).slice(0, limit)),
    invalid: batch.invalid.filter((position) => position < limit),
    excluded: batch.excluded.filter(isTaken),
    fileCells: batch.fileCells.filter(isTaken),
  };
}

function noteValues({ shown }: PackedBatch, taken: number, shownValues: ShownValues): void {
  for (const [position, ...value] of shown) if (position < taken) shownValues.noteValue(...value);
}
