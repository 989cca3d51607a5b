import { existsSync } from "node:fs";
import { hostname } from "node:os";
import type { Dependencies } from "../../job/dependencies.ts";
import type { Job } from "../../job/job.ts";
import { type RunSettings, settingsOf, settingsSeenFrom } from "../../job/settings/recorded-settings.ts";
import { connect, type Connection } from "../../job/target-connection.ts";
import { openLedgerStore, requireSharedLedger } from "../../ledger/open-ledger-store.ts";
import type { LedgerStore } from "../../ledger/ledger-store.ts";
import type { Run } from "../../ledger/ledger.ts";
import type { SharedRun } from "../../ledger/runs/shared-run.ts";
import { Failure } from "../../model/failure.ts";
import { readRunLedger, requireRun } from "../../pipeline/run/run-ledger.ts";
import { reportUnsaved } from "../../pipeline/run/report-unsaved.ts";
import { workOnRun, type WorkEnd } from "../../pipeline/shared/work-on-run.ts";
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
      return { run: run.id, ...(await workUntilDone({ job, run, settings, shared, connection }, dependencies)) };
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
    if (run.state !== "planning" && status !== undefined) return run;
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

interface Working {
  readonly job: Job;
  readonly run: Run;
  readonly settings: RunSettings;
  readonly shared: SharedRun;
  readonly connection: Connection;
}

/** A worker that was taken for dead, because it stood still for too long, joins again as another. */
async function workUntilDone(
  { job, run, settings, shared, connection }: Working,
  dependencies: Dependencies,
): Promise<WorkEnd> {
  const { pace, until } = settings;
  for (;;) {
    const worker = await shared.join({ host: hostname(), pid: process.pid });
    const end = await workOnRun({ job, run, shared, worker, connection, pace, until, dependencies });
    if (end.unsaved.length > 0) await reportUnsaved(end.unsaved, run.id, dependencies);
    const isLost = end.failure?.code === "ledger_in_use";
    if (!isLost || dependencies.drain.aborted) return end;
    dependencies.notice(`${end.failure.message}. Joining again`);
  }
}
