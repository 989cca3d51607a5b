import type { Dependencies } from "../../job/dependencies.ts";
import { openJob, withJob } from "../../job/job.ts";
import { describeRun, settingsIfKnown, settingsOf } from "../../job/settings/recorded-settings.ts";
import { readsStandardInput } from "../../job/standard-input.ts";
import { differencesOf } from "../../job/settings/same-run.ts";
import { hostOf } from "../../job/target-connection.ts";
import type { NewRun, Run } from "../../ledger/records/run.ts";
import { requireNotStopped } from "../../ledger/ledger-failures.ts";
import type { ActiveWriter, LedgerStore } from "../../ledger/ledger-store.ts";
import { isAddress, openLedgerStore } from "../../ledger/open-ledger-store.ts";
import { Failure } from "../../model/failure.ts";
import type { RunReport } from "../../pipeline/run/run-report.ts";
import { openRunLedger } from "../../pipeline/run/with-run.ts";
import { isDistributed, joinRun, type WorkerResult } from "../../pipeline/shared/join-run.ts";
import { hasPlanner, isLeftOpen, patiently } from "../../pipeline/shared/planner-presence.ts";
import { withWorkerProcesses, workerWords } from "../../pipeline/shared/worker-processes.ts";
import { push, type PushOptions } from "./push.ts";

/**
 * Starts a push. If another process is already running this push with workers, joins that run as a worker. If that
 * process ends before there is work to join, starts this push.
 * @throws Failure `ledger_in_use` if the active run cannot be joined, and the failures of `push`
 */
export async function pushOrJoin(options: PushOptions, dependencies: Dependencies): Promise<RunReport | WorkerResult> {
  if (options.dryRun || !isAddress(options.ledger)) return push(options, dependencies);
  const store = await openLedgerStore(options.ledger, { notice: dependencies.notice });
  let worked: WorkerResult | undefined;
  for (;;) {
    const begun = await pushIfFree(options, dependencies);
    if (!("refusal" in begun)) return begun;
    // Another process is already completing the run.
    if (worked !== undefined && (await patiently(() => hasPlanner(store), dependencies))) return worked;
    const joined = await joinActiveRun({ store, options, refusal: begun.refusal }, dependencies);
    if (joined === undefined) continue;
    const isAllSent = joined.reason === "done" && joined.failure === undefined;
    if (!isAllSent || !(await patiently(() => isLeftOpen(store, joined.run), dependencies))) return joined;
    dependencies.notice(`No other process is left to complete run ${joined.run}, so this push starts its own run`);
    worked = joined;
  }
}

/**
 * Runs the push. Returns the refusal instead of a report if the push cannot start because another process uses the
 * ledger.
 */
async function pushIfFree(
  options: PushOptions,
  dependencies: Dependencies,
): Promise<RunReport | { readonly refusal: Failure }> {
  let refusal: Failure | undefined;
  const open: typeof openRunLedger = async (...parameters) => {
    try {
      return await openRunLedger(...parameters);
    } catch (error) {
      if (error instanceof Failure && error.code === "ledger_in_use") refusal = error;
      throw error;
    }
  };
  try {
    return await push(options, dependencies, open);
  } catch (error) {
    if (refusal === undefined || error !== refusal) throw error;
    return { refusal };
  }
}

interface Waiting {
  readonly store: LedgerStore;
  readonly options: PushOptions;
  /** The reason why the push cannot start. */
  readonly refusal: Failure;
}

/** Joins the active run as a worker. Returns undefined if no other process is active any more. */
async function joinActiveRun(waiting: Waiting, dependencies: Dependencies): Promise<WorkerResult | undefined> {
  const work = await waitForRanges(waiting, dependencies);
  if (work === undefined) return undefined;
  const { store, options } = waiting;
  const { run, who } = work;
  const count = options.workers?.count ?? 1;
  const joins = count === 1 ? "as a worker" : `with ${count} workers`;
  dependencies.notice(
    `Run ${run.id} is in progress (${who}). This push joins it ${joins}, and the other process writes the report`,
  );
  const { pace, until } = settingsOf(run);
  const settings = { target: options.target, pace, until };
  const joined = { store, run, settings, openJob: () => openJob(options.job, dependencies) };
  return withWorkerProcesses(dependencies, async (start) => {
    // The current process counts as the first worker.
    start(count - 1, workerWords(run, store));
    return joinRun(joined, dependencies);
  }).catch((error: unknown) => {
    // The other process has ended since the ledger was read.
    if (error instanceof Failure && error.code === "run_unknown") return undefined;
    throw error;
  });
}

const POLL_MS = 1_000;

/** Waits until the active run can be joined. Returns undefined if no other process is active. */
async function waitForRanges(waiting: Waiting, dependencies: Dependencies): Promise<JoinableWork | undefined> {
  const { clock, drain, notice } = dependencies;
  const known = new Set<string>();
  for (let isAnnounced = false; ; isAnnounced = true) {
    const work = await patiently(async () => waiting.store.activeWriter?.(), dependencies);
    if (work === undefined) return undefined;
    await requireJoinable(work, { ...waiting, known }, dependencies);
    if (isJoinable(work)) return work;
    requireNotStopped(drain, work.who);
    const nextStep =
      work.command === undefined
        ? "the process that planned that run has ended, so this push will start its own run when no worker is left"
        : "this push will join the run of that process as a worker, or start a separate run when that process ends";
    if (!isAnnounced) notice(`Waiting for ${work.who}: ${nextStep}`);
    await clock.sleep(POLL_MS, drain);
  }
}

interface JoinableWork extends ActiveWriter {
  readonly run: Run;
}

/**
 * Whether a worker can join the run. A run that has neither waiting nor assigned ranges has no work left for a worker,
 * and workers can join only while the process that planned the run is active.
 */
function isJoinable(work: ActiveWriter): work is JoinableWork {
  const { command, run, shared } = work;
  if (command === undefined || run === undefined || shared === undefined || !isDistributed(run, shared)) return false;
  return shared.state === "open" && shared.ranges.waiting + shared.ranges.taken > 0;
}

/**
 * Checks each run only once.
 * @throws Failure `ledger_in_use` if this push can never join the active run: the run cannot be joined, this push has
 * no workers or reads standard input, or its settings or files differ from those of the run
 */
async function requireJoinable(
  { run, command }: ActiveWriter,
  { options, refusal, known }: Waiting & { readonly known: Set<string> },
  dependencies: Dependencies,
): Promise<void> {
  if (command === "reconcile" || run?.dryRun === true) throw refusal;
  if (run === undefined || known.has(run.id)) return;
  const refused = (reason: string, hint: string): Failure =>
    new Failure("ledger_in_use", `${refusal.message}; ${reason}`, { hint });
  const cannotJoin = (reason: string, alternative: string): Failure =>
    refused(reason, `wait until that run has ended, then run the same command again; ${alternative}`);
  if (settingsIfKnown(run)?.workers === undefined) {
    throw cannotJoin(
      `run ${run.id} cannot be joined, because only that process sends its records`,
      "only a push that was started with --workers can be joined",
    );
  }
  if (options.workers?.count === 0) {
    throw refused(
      `with --workers 0 this push would send no records of run ${run.id}`,
      "omit --workers to join the run, or wait until the run has ended",
    );
  }
  if (readsStandardInput(options.job)) {
    throw cannotJoin(
      `this push cannot join run ${run.id}, because standard input cannot be shared`,
      "or push a file instead of standard input",
    );
  }
  const different = differencesOf(await describePush(options, dependencies), run);
  if (different.length > 0) {
    throw cannotJoin(
      `this push cannot join run ${run.id}, because the two differ in ${different.join(", ")}`,
      "`migrate worker` joins the run with the settings of the run",
    );
  }
  known.add(run.id);
}

function describePush(options: PushOptions, dependencies: Dependencies): Promise<NewRun> {
  return withJob(options.job, dependencies, (job) => {
    const about = { job, host: hostOf(options.target), clock: dependencies.clock };
    return describeRun({ ...options, confirmed: options.yes }, about);
  });
}
