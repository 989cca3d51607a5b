import type { SharedRun, SharedWorker, WorkerIdentity } from "../../ledger/runs/shared-run.ts";
import { Failure } from "../../model/failure.ts";
import { type RunWork, type WorkEnd, workOnRun } from "./work-on-run.ts";

export interface JoiningOptions extends RunWork {
  /** The process of the worker. */
  readonly worker: WorkerIdentity;
  /**
   * Called before joining again, because an older copy may have replaced the ledger.
   * @throws Failure `ledger_outdated`
   */
  readonly requireUpToDate?: () => Promise<void>;
  /** Called with outcomes that could not be saved in the ledger. */
  readonly onUnsaved: (unsaved: WorkEnd["unsaved"]) => Promise<void>;
}

/** Maximum number of times in a row that a worker joins again without having sent a record. */
const MAX_REJOINS = 5;

/**
 * Works on a run. A worker that was considered dead because it was suspended for too long joins again with a new
 * identity.
 */
export async function workUntilDone(options: JoiningOptions): Promise<WorkEnd> {
  const { shared, worker: process, onUnsaved, dependencies } = options;
  let last: WorkEnd | undefined;
  for (let idleRounds = 0; ;) {
    const joined = await joinAgain(shared, process, last);
    if ("end" in joined) return joined.end;
    const end = await workOnRun({ ...options, worker: joined });
    if (end.unsaved.length > 0) await onUnsaved(end.unsaved);
    idleRounds = Object.keys(end.counts).length === 0 ? idleRounds + 1 : 0;
    const isLost = end.failure?.code === "ledger_in_use";
    if (!isLost || dependencies.drain.aborted || idleRounds > MAX_REJOINS) return end;
    await options.requireUpToDate?.();
    dependencies.notice(`${end.failure.message}. Joining again`);
    last = end;
  }
}

/**
 * Joins the run. If the run ended while the worker was suspended, returns the end of the work instead, because nothing
 * is left to send.
 */
async function joinAgain(
  shared: SharedRun,
  process: WorkerIdentity,
  last: WorkEnd | undefined,
): Promise<SharedWorker | { readonly end: WorkEnd }> {
  try {
    return await shared.join(process);
  } catch (error) {
    const isOver = error instanceof Failure && error.code === "run_unknown";
    if (last === undefined || !isOver) throw error;
    const { counts, unsaved, ranges } = last;
    return { end: { reason: "done", counts, unsaved, ranges } };
  }
}
