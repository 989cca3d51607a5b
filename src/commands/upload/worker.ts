import { existsSync } from "node:fs";
import { hostname } from "node:os";
import type { Dependencies } from "../../job/dependencies.ts";
import { type RunSettings, settingsOf, settingsSeenFrom } from "../../job/settings/recorded-settings.ts";
import { connect } from "../../job/target-connection.ts";
import { openLedgerStore, requireSharedLedger } from "../../ledger/open-ledger-store.ts";
import type { LedgerStore } from "../../ledger/ledger-store.ts";
import type { Run } from "../../ledger/ledger.ts";
import type { SharedRun } from "../../ledger/runs/shared-run.ts";
import { Failure } from "../../model/failure.ts";
import { readRunLedger, requireRun } from "../../pipeline/run/run-ledger.ts";
import { reportUnsaved } from "../../pipeline/run/report-unsaved.ts";
import type { WorkEnd } from "../../pipeline/shared/work-on-run.ts";
import { workUntilDone } from "../../pipeline/shared/work-until-done.ts";
import { openRecordedJob } from "../../pipeline/run/recorded-job.ts";

export interface WorkerOptions {
  /** Locator of the ledger. */
  readonly ledger: string;
  /** Id of the run, or the beginning of it; none: the latest. */
  readonly run?: string | undefined;
  /** The folder that the command was given in. */
  readonly folder: string;
}

export interface WorkerResult extends WorkEnd {
  readonly run: string;
}

/**
 * Joins a run that another process has planned, and sends some of its ranges.
 * @throws Failure `source_changed` where contract, mapping or input are not those of the plan, `run_unknown` for a run that gives
 * nothing out, and what connecting throws
 */
export async function work(options: WorkerOptions, dependencies: Dependencies): Promise<WorkerResult> {
  requireSharedLedger(options.ledger);
  const store = await openLedgerStore(options.ledger);
  const run = await plannedRun(store, options.run, dependencies);
  const settings = settingsHere(run, options.folder);
  const shared = await openShared(store, run);
  try {
    const job = await openRecordedJob(settings, dependencies);
    const { target, pace } = settings;
    const connection = await connect(target, job.operation, { dependencies, pace });
    try {
      const sending = { job, run, shared, connection, pace, until: settings.until, dependencies };
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

/** Where the folder of the push is not there, its files are looked for in the current one. */
function settingsHere(run: Run, folder: string): RunSettings {
  const settings = settingsOf(run);
  return existsSync(settings.job.folder) ? settings : settingsSeenFrom(run, folder);
}

async function openShared(store: LedgerStore, { id }: Run): Promise<SharedRun> {
  if (store.share === undefined) throw new Failure("usage", "workers need a ledger on PostgreSQL");
  return store.share(id);
}

const LOOK_MS = 1_000;

/** The run, once its plan is whole. @throws Failure `run_unknown`, also where nobody is planning it any more */
async function plannedRun(
  store: LedgerStore,
  id: string | undefined,
  { clock, drain, notice }: Dependencies,
): Promise<Run> {
  for (let isTold = false; ; isTold = true) {
    const run = await readRunLedger(store, (ledger) => requireRun(ledger, id));
    const status = await store.sharedStatus?.(run.id);
    // That of an earlier planner has ended; the one that resumes the run gives out anew.
    const isGivenOut = status !== undefined && status.state !== "ended";
    if (run.state !== "planning" && isGivenOut) return run;
    const isAtWork = (await store.activeRun()) === run.id && settingsOf(run).workers !== undefined;
    if (!isAtWork || drain.aborted) throw nothingToDo(run);
    if (!isTold) notice(`Run ${run.id} is being planned; waiting for its ranges`);
    await clock.sleep(LOOK_MS, drain);
  }
}

function nothingToDo({ id, state }: Run): Failure {
  if (state === "finished") {
    return new Failure("run_unknown", `run ${id} has ended: there is nothing to work on`, {
      hint: "see the runs with `migrate status`; what is left of one is sent by `migrate resume`",
    });
  }
  return new Failure("run_unknown", `run ${id} gives no work to workers`, {
    hint: "only a run that was started with `migrate push --workers <n>` does, while that process lives",
  });
}
