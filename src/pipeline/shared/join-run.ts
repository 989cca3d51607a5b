import { hostname } from "node:os";
import type { Dependencies } from "../../job/dependencies.ts";
import type { Job } from "../../job/job.ts";
import type { RunSettings } from "../../job/settings/recorded-settings.ts";
import { connect } from "../../job/target-connection.ts";
import type { Run } from "../../ledger/ledger.ts";
import type { LedgerStore } from "../../ledger/ledger-store.ts";
import type { SharedRun } from "../../ledger/runs/shared-run.ts";
import { Failure } from "../../model/failure.ts";
import { reportUnsaved } from "../run/report-unsaved.ts";
import { payloadsAnew } from "../send/payloads-anew.ts";
import type { WorkEnd } from "./work-on-run.ts";
import { workUntilDone } from "./work-until-done.ts";

export interface WorkerResult extends WorkEnd {
  readonly run: string;
}

interface JoinedRun {
  readonly store: LedgerStore;
  /** One whose ranges are given out. */
  readonly run: Run;
  readonly openJob: () => Promise<Job>;
  readonly settings: Pick<RunSettings, "target" | "pace" | "until">;
}

/**
 * Sends some ranges of a run that another process has planned, until there are no more.
 * @throws Failure `run_unknown` for a run that gives nothing out, and what opening the job and connecting throw
 */
export async function joinRun(joined: JoinedRun, dependencies: Dependencies): Promise<WorkerResult> {
  const { run, settings } = joined;
  const { target, pace, until } = settings;
  const shared = await openShared(joined);
  try {
    const job = await joined.openJob();
    const connection = await connect(target, job.operation, { dependencies, pace });
    try {
      const sending = { job, readPayloads: payloadsAnew(job), run, shared, connection, pace, until, dependencies };
      const onUnsaved = (unsaved: WorkEnd["unsaved"]): Promise<void> => reportUnsaved(unsaved, run.id, dependencies);
      const worker = { host: hostname(), pid: process.pid };
      dependencies.onProgress({ kind: "joined" });
      return { run: run.id, ...(await workUntilDone({ ...sending, worker, onUnsaved })) };
    } finally {
      await connection.close();
      await job.input.close();
    }
  } finally {
    await shared.close();
  }
}

async function openShared({ store, run }: JoinedRun): Promise<SharedRun> {
  if (store.share === undefined) throw new Failure("usage", "workers need a ledger on PostgreSQL");
  return store.share(run.id);
}

/** Whether a run gives work out just now. An earlier planner's work has ended; who resumes the run gives out anew. */
export function isGivenOut({ state }: Pick<Run, "state">, shared: { readonly state: string } | undefined): boolean {
  return state !== "planning" && shared !== undefined && shared.state !== "ended";
}
