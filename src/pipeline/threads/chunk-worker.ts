import type { MappingDocument } from "../../map/document/mapping-document.ts";
import { parentPort, workerData } from "node:worker_threads";
import type { Contract } from "../../contract/contract.ts";
import { compileJob } from "../../job/job.ts";
import type { JobSettings } from "../../job/settings/job-settings.ts";
import { readJobMapping } from "../../job/job-mapping.ts";
import type { JoinedSource } from "../../read/join/bytes/joined-chunk.ts";
import type { CheckSettings } from "./check-batches.ts";
import type { ChunkSource } from "../bytes/chunk-pieces.ts";
import { checkTasks, type ChunkTask, type TaskChecks } from "./check-tasks.ts";
import { packFailure, type ThreadFailure } from "../../model/thread-failure.ts";

/**
 * The `workerData` of a worker thread. The thread compiles the job from its settings and opens no source.
 *
 * Another kind of work on the same records, such as building request bodies, needs three parts. The first is a function
 * like `checkBatches`, which takes the compiled job and returns a function that converts the batches of a task into an
 * answer. The second is a member of this interface for the settings of the work, next to `check`. The third is a
 * function like `checkInThreads`, which reads the answers. Answers arrive in input order for any number of threads
 * (`inThreads`).
 */
export interface ChunkWork {
  readonly settings: JobSettings;
  readonly contract: Contract;
  /** Current time for rules, in milliseconds since 1970; the same in all threads. */
  readonly now: number;
  /** Properties shared by all chunks, if the input is split into chunks. */
  readonly input: ChunkSource;
  readonly check: CheckSettings;
}

const work: ChunkWork = workerData;
const started = start(work);

// Handles one task at a time, so that functions are called in the order of the input.
let answered: Promise<unknown> = started;
parentPort?.on("message", (task: ChunkTask) => {
  answered = answered.then(() => reply(task));
});

async function reply(task: ChunkTask): Promise<void> {
  const answer = await (await started)(task);
  parentPort?.postMessage(
    answer,
    answer.checked.batches.map(({ items }) => items.columns),
  );
}

/** Compiles the job. If compiling fails, every task is answered with the failure. */
async function start({ settings, contract, now, input, check }: ChunkWork): Promise<TaskChecks["ofTask"]> {
  try {
    const document = await readJobMapping(settings);
    const job = await compileJob(settings, { contract, document, now }, () => undefined);
    return checkTasks(job, { ...input, children: withRowOrder(input.children, document) }, check).ofTask;
  } catch (error) {
    const failure: ThreadFailure = packFailure(error);
    return () => ({ unnumbered: 0, checked: { batches: [], failure } });
  }
}

/** Adds the row order from the mapping. The row order cannot be sent to a thread, because it contains functions. */
function withRowOrder(
  children: readonly JoinedSource[] = [],
  document: MappingDocument | undefined,
): readonly JoinedSource[] {
  return children.map((child) => ({ ...child, orderBy: document?.sources.get(child.name)?.orderBy }));
}
