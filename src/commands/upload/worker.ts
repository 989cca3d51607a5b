import type { Dependencies } from "../../job/dependencies.ts";
import { settingsIfKnown, settingsOf, settingsSeenFrom } from "../../job/settings/recorded-settings.ts";
import type { StoredFiles } from "../../job/settings/stored-setup.ts";
import { openLedgerStore, requireSharedLedger } from "../../ledger/open-ledger-store.ts";
import type { LedgerStore } from "../../ledger/ledger-store.ts";
import type { Run } from "../../ledger/records/run.ts";
import { cannotJoin } from "../../ledger/runs/cannot-join.ts";
import { areDone } from "../../ledger/runs/shared-run.ts";
import { Failure } from "../../model/failure.ts";
import { openExisting } from "../../pipeline/run/restore-evidence.ts";
import { readRunLedger, requireRun, type RunSelection } from "../../pipeline/run/run-ledger.ts";
import { isDistributed, joinRun, type WorkerResult } from "../../pipeline/shared/join-run.ts";
import { patiently, remainsOpen } from "../../pipeline/shared/planner-presence.ts";
import { openRecordedJob } from "../../pipeline/run/recorded-job.ts";

export interface WorkerOptions extends RunSelection {
  /** The folder in which the user started the command. */
  readonly folder: string;
}

/**
 * Joins a run that another process has planned, and sends some of its ranges.
 * @throws Failure `source_changed` if the contract, mapping or input has changed since the plan was written,
 * `run_unknown` if no process assigns ranges of the run, `ledger_outdated`, and failures while connecting
 */
export async function work(options: WorkerOptions, dependencies: Dependencies): Promise<WorkerResult> {
  requireSharedLedger(options.ledger);
  const opened = await openLedgerStore(options.ledger);
  const store: LedgerStore = { ...opened, read: () => openExisting(opened, opened.read, dependencies) };
  const { run, isStopped } = await plannedRun(store, options.run, dependencies);
  const nothing = { run: run.id, counts: {}, unsaved: [], ranges: 0 };
  if (isStopped) return { ...nothing, reason: "drained" };
  const settings = settingsSeenFrom(run, options.folder);
  const stored: StoredFiles = {
    setupFile: (sha256) => readRunLedger(store, (ledger) => ledger.setupFile(sha256)),
  };
  const joined = { store, run, settings, openJob: () => openRecordedJob(settings, { stored, dependencies }) };
  const result = await joinRun(joined, dependencies).catch(async (error: unknown): Promise<WorkerResult> => {
    // The other workers may have sent the last records before this worker could join.
    const isOver = error instanceof Failure && error.code === "run_unknown" && (await isAllSent(store, run));
    if (!isOver) throw error;
    return { ...nothing, reason: "done" };
  });
  if (result.failure === undefined && (await remainsOpen(store, run.id, dependencies))) {
    dependencies.notice(`The process that planned run ${run.id} has ended. ${resumeHint(run)}`);
  }
  return result;
}

async function isAllSent(store: LedgerStore, { id }: Run): Promise<boolean> {
  const status = await store.sharedStatus?.(id);
  return status !== undefined && areDone(status.ranges);
}

function resumeHint({ id }: Run): string {
  return `\`migrate resume ${id}\` sends the remaining records and writes the report`;
}

const POLL_MS = 1_000;

/**
 * Waits for the plan of the run and returns the run. `isStopped`: the worker was stopped during this wait.
 * @throws Failure `run_unknown` if there is no such run, or if no active process is planning it for workers
 */
async function plannedRun(store: LedgerStore, id: string | undefined, dependencies: Dependencies) {
  const { clock, drain, notice } = dependencies;
  const look = async () => {
    const run = await readRunLedger(store, (ledger) => requireRun(ledger, id));
    return { run, status: await store.sharedStatus?.(run.id), active: await store.activeRun() };
  };
  for (let isAnnounced = false; ; isAnnounced = true) {
    const { run, status, active } = isAnnounced ? await patiently(look, dependencies) : await look();
    if (isDistributed(run, status)) return { run, isStopped: false };
    const isPlannerActive = active === run.id && settingsOf(run).workers !== undefined;
    if (!isPlannerActive) throw noWorkFailure(run);
    if (drain.aborted) return { run, isStopped: true };
    if (!isAnnounced) notice(`Run ${run.id} is being planned; waiting for its ranges`);
    await clock.sleep(POLL_MS, drain);
  }
}

function noWorkFailure(run: Run): Failure {
  const { id, state } = run;
  if (state === "finished") return cannotJoin(id, "ended");
  if (settingsIfKnown(run)?.workers !== undefined) {
    const when = state === "planning" ? " before its plan was complete" : ", and no process assigns its ranges";
    return new Failure("run_unknown", `the process that planned run ${id} has ended${when}`, {
      hint: `${resumeHint(run)}; workers can join again while the resumed push is running`,
    });
  }
  return cannotJoin(id, "without workers");
}
