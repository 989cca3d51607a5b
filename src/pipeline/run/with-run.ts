import type { Dependencies } from "../../job/dependencies.ts";
import { type Job, openJob, requireKey } from "../../job/job.ts";
import type { JobSettings } from "../../job/settings/job-settings.ts";
import { type RunSettings, settingsSeenFrom } from "../../job/settings/recorded-settings.ts";
import { updateCounts } from "../../job/inventory/count-inventory.ts";
import { removeUnneededInput, standardInputFolder, withStandardInput } from "../../job/standard-input.ts";
import type { LedgerStore } from "../../ledger/ledger-store.ts";
import type { WatchedJournal } from "./machine-evidence.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { PlanLedger } from "../../ledger/packed/plan-ledger.ts";
import type { NewRun, Run } from "../../ledger/records/run.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import { openPackedLedger, type UnsentRun } from "../../ledger/packed/packed-ledger.ts";
import { BUG_EXIT_CODE, Failure, FAILURES } from "../../model/failure.ts";
import type { RunValues } from "../../options/run-options.ts";
import { createShownValues, type ShownValues } from "../../report/shown-values.ts";
import { closeAfterReport, type CloseLater } from "./close-after-report.ts";
import type { RunHandle } from "../plan/plan-records.ts";
import { bytesOf } from "../threads/thread-count.ts";
import { openRunJournal } from "./run-journal.ts";
import { openExisting } from "./restore-evidence.ts";
import { progressPath } from "./progress-file.ts";
import { requireRun, type RunSelection, sendingRuns } from "./run-ledger.ts";
import { requireSameDestination } from "./same-destination.ts";
import {
  type ReportChoices,
  type ReportOptions,
  requireReportFolder,
  type RunReport,
  type ShownRun,
} from "./run-report.ts";

/** Options of every command that reads the whole input of a job and reports on it. */
export interface RunOptions extends RunValues, ReportChoices {
  readonly job: JobSettings;
}

interface StartedRun<J extends Job | undefined, L extends PlanLedger> extends RunHandle<L> {
  readonly job: J;
  readonly reporting: ReportOptions;
  /** Absent for a run that cannot be resumed. */
  readonly journal?: WatchedJournal | undefined;
  readonly isRecorded?: boolean;
  readonly dependencies: Dependencies;
}

/** A run in progress, with the resources that its stages need. */
export interface OpenRun<J extends Job | undefined = Job, L extends PlanLedger = Ledger> extends StartedRun<J, L> {
  /** Present if the user chose to show values. */
  readonly shownValues: ShownValues | undefined;
}

/** A run in progress, whether or not it sends records. */
export type OpenPlan = OpenRun<Job, PlanLedger>;

interface UnsentRunOptions {
  readonly options: RunOptions;
  /** Arguments of the next command in addition to the flags of its job and target. */
  readonly flags?: readonly string[];
}

interface NewRunOptions extends UnsentRunOptions {
  /** Locator of the ledger. By default, a temporary ledger for a run that cannot be resumed. */
  readonly ledger?: string;
  /** Opens the ledger; default: `openRunLedger`. */
  readonly open?: typeof openRunLedger | undefined;
  /** Whether several processes send the records of the run. */
  readonly isShared?: boolean;
  readonly target: { readonly host: string; readonly instance: string };
}

/** The result of preparing a run, after all checks have passed. */
interface PreparedRun<J extends Job | undefined, L extends PlanLedger = Ledger> {
  readonly work: (run: OpenRun<J, L>) => Promise<ShownRun>;
}

/**
 * Opens the resources of a new run, runs its work, and returns its report. The report's `close` closes the resources.
 * Calls `prepare` when the ledger, the input and the report folder are ready. `prepare` opens the other resources, and
 * throws an error if the run must not begin. Such a run leaves nothing in the ledger.
 */
export function withNewRun(
  { options, ledger: locator, open = openRunLedger, isShared = false, target, flags }: NewRunOptions,
  dependencies: Dependencies,
  prepare: (job: Job, closeLater: CloseLater) => Promise<PreparedRun<Job> & { readonly newRun: NewRun }>,
): Promise<RunReport> {
  return closeAfterReport(async (closeLater) => {
    refuseWithoutFolder(options, locator);
    const known = locator === undefined ? undefined : await open(locator, "push", { dependencies, closeLater });
    if (isShared) await known?.store.requireSharing?.();
    const inputFolder = known === undefined ? dependencies.temporaryFolder : standardInputFolder(known.store);
    const job = await openReportedJob(options, inputFolder, { dependencies, closeLater });
    await requireSendable(job, target, known);
    const { newRun, work } = await prepare(job, closeLater);
    const opened = known?.ledger ?? closeLater(await openUnresumableLedger(dependencies));
    const run = await opened.startRun(newRun);
    const ledger = inThreadIfLarge(opened, job, options, "immediately");
    if (known !== undefined) reportStart(run, known.store, dependencies);
    const reporting = { ...reportingOf(options), store: known?.store, flags };
    return runWork({ ledger, run, job, reporting, journal: known?.journal, dependencies }, work);
  });
}

/** Opens a temporary ledger for a run that sends records and cannot be resumed. SQLite is loaded only for such runs. */
async function openUnresumableLedger({ temporaryFolder }: Dependencies): Promise<Ledger> {
  const { openTemporaryLedger } = await import("../../ledger/sqlite/sqlite-ledger.ts");
  return openTemporaryLedger(temporaryFolder);
}

/** Does the same as `withNewRun` for a run that sends nothing and cannot be resumed. */
export function withUnsentRun(
  { options, flags }: UnsentRunOptions,
  dependencies: Dependencies,
  prepare: (job: Job, closeLater: CloseLater) => Promise<PreparedRun<Job, PlanLedger> & { readonly newRun: UnsentRun }>,
): Promise<RunReport> {
  return closeAfterReport(async (closeLater) => {
    refuseWithoutFolder(options, undefined);
    const { temporaryFolder } = dependencies;
    const job = await openReportedJob(options, temporaryFolder, { dependencies, closeLater });
    const { newRun, work } = await prepare(job, closeLater);
    const ledger = closeLater(openPackedLedger(temporaryFolder));
    const run = await ledger.startRun(newRun);
    const reporting = { ...reportingOf(options), flags };
    return runWork({ ledger, run, job, reporting, dependencies }, work);
  });
}

interface Opening {
  readonly dependencies: Dependencies;
  readonly closeLater: CloseLater;
}

/**
 * Opens the job of a new run and checks that its report can be written.
 * @param inputFolder folder for a copy of standard input
 */
async function openReportedJob(
  { job: settings, out, showValues }: RunOptions,
  inputFolder: string,
  { dependencies, closeLater }: Opening,
): Promise<Job> {
  const whole = await withStandardInput(settings, inputFolder, dependencies);
  const job = await openJob(whole, dependencies, { showValues });
  closeLater(job.input);
  await requireReportFolder(out, job);
  return job;
}

function reportingOf({ out, showValues, workbook }: ReportChoices): ReportOptions {
  return { out, showValues, workbook };
}

/** Refuses to write a workbook without a report folder. Only runs with a ledger have a default folder. */
function refuseWithoutFolder({ workbook, out }: RunOptions, ledger: string | undefined): void {
  if (workbook !== true || (out ?? ledger) !== undefined) return;
  throw new Failure("usage", "--format xlsx needs a folder for the workbook", {
    hint: "choose the report folder with --out <dir>",
  });
}

/** Requires a business key, which later identifies the sent records, and a ledger that belongs to the target. */
async function requireSendable(
  job: Job,
  target: NewRunOptions["target"],
  known: WritableLedger | undefined,
): Promise<void> {
  requireKey(job.mapping);
  if (known === undefined) return;
  const { supplier = "" } = job.settings;
  await requireSameDestination(known.ledger, known.store.name, { ...target, supplier });
}

/** Input size (about 1,000 requests) above which a separate thread for the ledger saves time. */
const BYTES_FOR_THREAD = 2_000_000;

/**
 * For a run that sends records: moves its ledger to a separate thread. With `auto`, does so unless the input is small.
 * With a fixed number of threads, does so if there is more than one.
 */
function inThreadIfLarge(
  ledger: Ledger,
  { input }: Job,
  { threads = "auto" }: RunValues,
  begins: "immediately" | "when worthwhile",
): Ledger {
  const isWanted = threads === "auto" ? bytesOf(input.files) >= BYTES_FOR_THREAD : threads > 1;
  return (isWanted ? ledger.inThread?.(begins) : undefined) ?? ledger;
}

export interface RecordedRunOptions extends RunSelection, ReportChoices {
  /** The folder in which the user started the command. */
  readonly folder: string;
}

/** A run that is already in a ledger. */
export interface RecordedRun {
  readonly ledger: Ledger;
  readonly run: Run;
  readonly settings: RunSettings;
  readonly closeLater: CloseLater;
}

/** Does the same as `withNewRun` for a run that is already in the ledger. `prepare` opens its job again. */
export function withRecordedRun<J extends Job | undefined>(
  { command, options }: { readonly command: "resume" | "reconcile"; readonly options: RecordedRunOptions },
  dependencies: Dependencies,
  prepare: (recorded: RecordedRun) => Promise<PreparedRun<J> & { readonly job: J }>,
): Promise<RunReport> {
  return closeAfterReport(async (closeLater) => {
    const { store, ledger, journal } = await openRunLedger(options.ledger, command, { dependencies, closeLater });
    // Without an id, the command applies to the latest run that is not a dry run.
    const runs = options.run === undefined ? await sendingRuns(ledger) : [];
    const run = runs.at(-1) ?? (await requireRun(ledger, options.run));
    if (options.run === undefined) await noticeOpenRuns({ ledger, run }, command, dependencies);
    const settings = settingsSeenFrom(run, options.folder);
    const { job, work } = await prepare({ ledger, run, settings, closeLater });
    const out = options.out ?? settings.out;
    if (job !== undefined) {
      closeLater(job.input);
      await requireReportFolder(out, job);
    }
    const reporting = { ...reportingOf(options), out, store };
    reportStart(run, store, dependencies);
    const begins = run.state === "planning" ? "immediately" : "when worthwhile";
    const ledgerInUse = job === undefined ? ledger : inThreadIfLarge(ledger, job, settings, begins);
    return runWork({ ledger: ledgerInUse, run, job, reporting, journal, isRecorded: true, dependencies }, work);
  });
}

/** Shows a notice with the other open runs, because the command without an id applies only to the latest run. */
async function noticeOpenRuns(
  { ledger, run: { id } }: RunHandle,
  command: "resume" | "reconcile",
  { notice }: Dependencies,
): Promise<void> {
  const others = (await ledger.unsettledRuns()).filter((run) => run !== id);
  if (others.length === 0) return;
  const [doing, action] = command === "resume" ? ["Resuming", "Resume"] : ["Reconciling", "Reconcile"];
  notice(
    `${doing} the latest run, ${id}. Other open runs: ${others.join(", ")}. ${action} one with \`migrate ${command} <run>\``,
  );
}

function reportStart(run: Run, store: LedgerStore, { onProgress }: Dependencies): void {
  const { id, command, target, supplier, operation } = run;
  const progressFile = progressPath(store, id);
  onProgress({ kind: "begun", run: { id, command, target, supplier, operation }, progressFile });
}

interface WritableLedger {
  readonly store: LedgerStore;
  readonly ledger: Ledger;
  readonly journal: WatchedJournal;
}

/**
 * Opens the ledger exclusively. Before closing it, updates the counts of the inventory, and removes the copies of
 * standard input that no run needs any more.
 * @throws Failure `ledger_outdated`; `incomplete` if the user stops the command while it waits; errors from opening a
 * ledger
 */
export async function openRunLedger(
  locator: string,
  command: "push" | "resume" | "reconcile",
  { dependencies, closeLater }: Opening,
): Promise<WritableLedger> {
  const store = await openLedgerStore(locator, { notice: dependencies.notice, drain: dependencies.drain });
  const open = (): Promise<Ledger> => store.write(command, { create: command === "push" });
  const ledger = closeLater(await openExisting(store, open, dependencies));
  const journal = await openRunJournal(store, ledger, dependencies);
  closeLater({ close: () => removeUnneededInput(store, ledger) });
  // If this fails, the only effect is that the next `status` takes longer.
  closeLater({ close: () => updateCounts(store, ledger).catch(() => undefined) });
  return { store, ledger, journal };
}

/**
 * Runs the work of a run. If the work fails, saves the exit code of the run in the ledger and rethrows the error. If a
 * command on a recorded run is refused, the state of the run does not change.
 */
async function runWork<J extends Job | undefined, L extends PlanLedger>(
  run: StartedRun<J, L>,
  work: (run: OpenRun<J, L>) => Promise<ShownRun>,
): Promise<ShownRun> {
  try {
    return await work({ ...run, shownValues: run.reporting.showValues ? createShownValues() : undefined });
  } catch (error) {
    const exitCode = error instanceof Failure ? error.exitCode : BUG_EXIT_CODE;
    const isRefused = run.isRecorded === true && exitCode === FAILURES.usage;
    const saved = isRefused ? run.run.exitCode : exitCode;
    if (saved !== undefined) await run.ledger.finishRun(run.run.id, saved).catch(() => undefined);
    const counts = (await run.ledger.summary(run.run.id).catch(() => undefined))?.counts ?? {};
    run.dependencies.onProgress({ kind: "ended", state: "stopped", exitCode, counts });
    throw error;
  }
}
