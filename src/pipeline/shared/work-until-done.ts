import type { SharedRun, SharedWorker, WorkerIdentity } from "../../ledger/runs/shared-run.ts";
import { Failure } from "../../model/failure.ts";
import { type WorkEnd, workOnRun, type WorkOptions } from "./work-on-run.ts";

export interface JoiningOptions extends Omit<WorkOptions, "shared" | "worker"> {
  readonly shared: Pick<SharedRun, "ledger" | "join">;
  /** The process that works. */
  readonly worker: WorkerIdentity;
  /** Told what was answered, and could not be written into the ledger. */
  /**
   * Asked before it joins again: the ledger may have been restored meanwhile.
   * @throws Failure `ledger_outdated`
   */
  readonly requireUpToDate?: () => Promise<void>;
  readonly onUnsaved: (unsaved: WorkEnd["unsaved"]) => Promise<void>;
}

/** So often a worker joins again, one time after the other, without a single answer in between. */
const MAX_REJOINS = 5;

/** Works on a run. A worker that was taken for dead, because it stood still for too long, joins again as another. */
export async function workUntilDone(options: JoiningOptions): Promise<WorkEnd> {
  const { shared, worker: process, onUnsaved, dependencies } = options;
  let last: WorkEnd | undefined;
  for (let inVain = 0; ;) {
    const joined = await joinAgain(shared, process, last);
    if ("end" in joined) return joined.end;
    const end = await workOnRun({ ...options, worker: joined });
    if (end.unsaved.length > 0) await onUnsaved(end.unsaved);
    inVain = Object.keys(end.counts).length === 0 ? inVain + 1 : 0;
    const isLost = end.failure?.code === "ledger_in_use";
    if (!isLost || dependencies.drain.aborted || inVain > MAX_REJOINS) return end;
    await options.requireUpToDate?.();
    dependencies.notice(`${end.failure.message}. Joining again`);
    last = end;
  }
}

/** A run that has ended while its worker stood still has no more to send. */
async function joinAgain(
  shared: JoiningOptions["shared"],
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
