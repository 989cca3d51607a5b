import { parentPort, workerData } from "node:worker_threads";
import type { Contract } from "../../contract/contract.ts";
import { compileJob, type JobSettings, readJobMapping } from "../../job/job.ts";
import type { JoinedSource } from "../../read/join/bytes/joined-chunk.ts";
import type { CheckSettings } from "./check-batches.ts";
import type { ChunkSource } from "../bytes/chunk-pieces.ts";
import { checkTasks, type ChunkTask, type TaskChecks } from "./check-tasks.ts";
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

const work: ChunkWork = workerData;
const started = start(work);

let answered: Promise<unknown> = started;

parentPort?.on("message", (task: ChunkTask) => {
  answered = answered.then(() => reply(task));
});

/** One task after the other, so that functions are called in the order of the input. */
async function reply(task: ChunkTask): Promise<void> {
  const answer = await (await started)(task);
  parentPort?.postMessage(
    answer,
    answer.checked.batches.map(({ items }) => items.columns),
  );
}

/** Where the job cannot be compiled, which it could be a moment before, that is the answer to every task. */
async function start({ settings, contract, now, input, check }: ChunkWork): Promise<TaskChecks["ofTask"]> {
  try {
    const document = await readJobMapping(settings);
    const job = await compileJob(settings, { contract, document, now }, () => undefined);
    return checkTasks(job, { ...input, children: withOrders(input.children, document) }, check).ofTask;
  } catch (error) {
    const failure: ThreadFailure = packFailure(error);
    return () => ({ unnumbered: 0, checked: { batches: [], failure } });
  }
}

/** How rows are ordered is not data: the mapping says it. */
function withOrders(
  children: readonly JoinedSource[] = [],
  document: Awaited<ReturnType<typeof readJobMapping>>,
): readonly JoinedSource[] {
  return children.map((child) => ({ ...child, orderBy: document?.sources.get(child.name)?.orderBy }));
}
