import path from "node:path";
import { fieldTitleAt } from "../../contract/types/type-tree.ts";
import { parseAttr } from "../../json/attr.ts";
import { definedMembers } from "../../json/defined-members.ts";
import type { Notifier, ProgressEnvironment, RescueEnvironment, Screen } from "../../job/dependencies.ts";
import type { Job } from "../../job/job.ts";
import type { Counts } from "../../job/run-progress.ts";
import type { PlanLedger } from "../../ledger/packed/plan-ledger.ts";
import { STEP_COMPLETED } from "../../ledger/records/requests.ts";
import type { Run } from "../../ledger/records/run.ts";
import type { LedgerStore } from "../../ledger/ledger-store.ts";
import { Failure, type FailureCode, highestPriorityExitCode } from "../../model/failure.ts";
import type { Outcome, Status, Summary } from "../../model/outcome.ts";
import { comparedAttrs } from "../../platform/reading/compare-content.ts";
import { checkReportFolder, type WrittenReport } from "../../report/report-files.ts";
import type { Report, RunFacts } from "../../report/report.ts";
import type { ShownValues } from "../../report/shown-values.ts";
import { counted, formatCount, plural } from "../../text/count.ts";
import type { UploadEnd } from "../../upload/upload-types.ts";
import { runState, TOO_MANY_ERRORS, unreadExitCode } from "./run-state.ts";
import { reportUnsaved } from "./report-unsaved.ts";
import { hasSettledNothing, manualDecisions, nextCommand, type RunRemainder } from "./next-command.ts";
import type { CheckResult } from "../plan/plan-records.ts";
import { mayResumeSettleAny, otherRunToReconcile } from "./settling-run.ts";
import { writeFolder } from "./write-folder.ts";

/** The result of a run, ready to be rendered. */
export interface ShownRun {
  readonly report: Report;
  readonly exitCode: number;
  /** The reasons why the run stopped early or why its report is incomplete. The main reason comes first. */
  readonly failures: readonly Failure[];
  /** The files of the report folder, if there is one. */
  readonly files?: WrittenReport | undefined;
  /** Present if the user chose to show values. */
  readonly shownValues?: ShownValues | undefined;
}

/** The result of a run whose resources are still open. */
export interface RunReport extends ShownRun {
  /** Closes the ledger and the input. Call this after the report is rendered. */
  readonly close: () => Promise<void>;
}

export interface ReportableRun {
  readonly ledger: PlanLedger;
  readonly run: Run;
  /** Absent if the sources have changed or can no longer be read. The report then has no rejects. */
  readonly job: Job | undefined;
  readonly shownValues?: ShownValues | undefined;
  readonly reporting: ReportOptions;
}

/** A run whose work is done but which has not been ended in the ledger yet. */
interface EndedRun extends ReportableRun {
  readonly dependencies: ReportEnvironment & RescueEnvironment & ProgressEnvironment;
}

export interface ReportEnvironment extends Notifier {
  readonly screen: Screen;
}

/** The results of checking and sending the records of a run. */
interface RunResult {
  readonly checked?: CheckResult | undefined;
  readonly sent?: UploadEnd | undefined;
  /** For a resumed run: the number of records by status before the run sent any further records. */
  readonly before?: Counts | undefined;
}

export interface ReportChoices {
  /**
   * Report folder. By default, the folder recorded with the run, or a folder next to its ledger. A run without a ledger
   * has no default folder.
   */
  readonly out?: string | undefined;
  readonly showValues: boolean;
  /** Whether to also write the rejects to a workbook. */
  readonly workbook?: boolean | undefined;
}

export interface ReportOptions extends ReportChoices {
  /** The ledger of the run; absent for a run with a temporary ledger. */
  readonly store?: LedgerStore | undefined;
  /** Arguments of the next command in addition to the flags of its job and target. */
  readonly flags?: readonly string[] | undefined;
}

/**
 * Checks, before a run starts, that its report can be written and does not overwrite its input.
 * @throws Failure `usage`, `storage`
 */
export async function requireReportFolder(out: string | undefined, { input }: Job): Promise<void> {
  if (out === undefined) return;
  await checkReportFolder(
    out,
    input.files.map((file) => file.path),
  );
}

/** Ends the run in the ledger and reports it. */
export async function endRun(ended: EndedRun, result: RunResult): Promise<ShownRun> {
  const { ledger, dependencies } = ended;
  const { id } = ended.run;
  const { checked, sent } = result;
  if (sent !== undefined && sent.unsaved.length > 0)
    await reportUnsaved(sent.unsaved, id, dependencies, reportFolder(ended.reporting, id));
  const summary = await ledger.summary(id);
  const exitCode = exitCodeOf(result, ended, summary);
  const stoppedBy = sent?.failure?.code;
  if (stoppedBy !== "ledger_lost") await ledger.finishRun(id, exitCode);
  const run = (await ledger.findRun(id)) ?? ended.run;
  const { counts } = summary;
  dependencies.onProgress({ kind: "ended", state: runState(run, counts, false), exitCode, counts });
  const totals = { exitCode, summary, stoppedBy, hasNoProgress: hasNoProgress(result, counts) };
  const reported = await reportRun({ ...ended, run }, totals, dependencies);
  const early = sent?.failure ?? earlyEndFailure(checked);
  if (early === undefined) return reported;
  const { next: _next, ...withoutNext } = reported.report;
  const report = NAMES_NEXT_STEPS.has(early.code) ? withoutNext : reported.report;
  return { ...reported, report, failures: [early, ...reported.failures] };
}

/** Codes of failures whose own hints name the next steps. */
const NAMES_NEXT_STEPS: ReadonlySet<string> = new Set(["canary_failed", "ledger_outdated", "source_changed"]);

function hasNoProgress({ sent, before }: RunResult, counts: Counts): boolean {
  return before !== undefined && sent?.reason === "done" && hasSettledNothing(before, counts);
}

/** Returns the failure if the user stopped the run during reading, or if too many records are invalid. */
function earlyEndFailure(checked: CheckResult | undefined): Failure | undefined {
  if (checked === undefined || checked.reason === "done") return undefined;
  const { records, reason } = checked;
  const read = counted(records, "record");
  if (reason === "stopped") {
    return new Failure("incomplete", `stopped after ${read}: the rest of the input was not read`, {
      hint: "run the same command again, or `migrate resume` after a push",
    });
  }
  const invalid = formatCount(checked.invalid);
  return new Failure("too_many_errors", `stopped after ${read}: ${invalid} invalid, more than --max-errors allows`, {
    hint: "fix the reported errors, or raise --max-errors",
  });
}

interface RunTotals {
  readonly exitCode: number;
  /** The summary of the run, if it was already queried. The query is slow, because it counts all records. */
  readonly summary?: Summary;
  /** The code of the failure that ended the run early. */
  readonly stoppedBy?: FailureCode | undefined;
  /** True if the resumed run settled no record. */
  readonly hasNoProgress?: boolean;
}

/** Writes the report folder with data from the ledger, and returns the report to show. */
export async function reportRun(
  reportable: ReportableRun,
  { exitCode, ...totals }: RunTotals,
  dependencies: ReportEnvironment,
): Promise<ShownRun> {
  const { run, job } = reportable;
  const { workbook } = reportable.reporting;
  const report = await describeReport(reportable, { exitCode, ...totals }, dependencies);
  const folder = reportFolder(reportable.reporting, run.id);
  const { rejects, leftOut, failures, files } = await writeFolder(report, folder, {
    job,
    run,
    workbook,
    ...dependencies,
  });
  const left = await remainderOf(reportable, report, { rejects, ...totals });
  const next = nextCommand(left);
  const decisions = totals.stoppedBy === "nothing_to_ask" ? undefined : manualDecisions(left);
  if (decisions !== undefined) dependencies.notice(decisions);
  return {
    report: {
      ...report,
      ...(folder !== undefined && failures.length === 0 && { folder }),
      ...((rejects.length > 0 || leftOut > 0) && { leftOut }),
      ...(next !== undefined && { next }),
    },
    exitCode: highestPriorityExitCode([exitCode, ...failures.map((failure) => failure.exitCode)]),
    failures,
    files,
    shownValues: reportable.shownValues,
  };
}

async function remainderOf(
  { ledger, run, job, reporting }: ReportableRun,
  report: Report,
  { rejects, ...totals }: Omit<RunTotals, "exitCode"> & Pick<RunRemainder, "rejects">,
): Promise<RunRemainder> {
  return {
    run,
    settings: job?.settings,
    summary: report.summary,
    rejects,
    ledger: reporting.store?.name,
    flags: reporting.flags ?? [],
    settlesAmbiguous: totals.hasNoProgress !== true && (await mayResumeSettleAny(report, job?.operation)),
    readsBack: job?.operation.readBack.length !== 0,
    comparesContent: comparesContent(job),
    otherRun: await otherRunToReconcile(ledger, run.id, report.summary),
    isLedgerLost: totals.stoppedBy === "ledger_lost",
  };
}

export async function describeReport(
  reportable: ReportableRun,
  { exitCode, summary }: RunTotals,
  { screen }: ReportEnvironment,
): Promise<Report> {
  const { ledger, run, job, reporting } = reportable;
  return {
    summary: { ...(summary ?? (await ledger.summary(run.id))), exitCode },
    outcomes: outcomesOf(reportable),
    ...definedMembers({ inColumns: columnsOf(reportable) }),
    reasonOf: (unsettled) => reasonOf(unsettled, reportable),
    showValues: reporting.showValues,
    title: titleOf(run, job),
    run: await factsOf(run, ledger),
    fieldTitle: (attr) => job?.operation.body && fieldTitleAt(job.operation.body, parseAttr(attr)),
    ...screen,
  };
}

/**
 * Returns the reason that is stored with the last request of the run that gave the record its status. A completed step
 * is not a reason.
 */
async function reasonOf({ key, record, status }: Outcome, { ledger, run }: ReportableRun): Promise<string | undefined> {
  const attempts = key === undefined ? [] : ((await ledger.attempts?.(key)) ?? []);
  const own = attempts.filter((one) => one.run === run.id && one.record === record && one.status === status);
  const reason = own.at(-1)?.reason;
  return reason === STEP_COMPLETED ? undefined : reason;
}

function comparesContent(job: Job | undefined): boolean {
  return job !== undefined && comparedAttrs(job.operation.readBack, job.mapping.keyAttr ?? []).length > 0;
}

/** Returns the report folder of a run; undefined if the report is only shown. */
export function reportFolder({ out, store }: ReportOptions, run: string): string | undefined {
  return out ?? (store && path.join(store.folder, "runs", run));
}

async function factsOf(run: Run, ledger: PlanLedger): Promise<RunFacts> {
  const { command, id, startedAt, finishedAt, target, supplier, operation, dryRun } = run;
  const timeline = command === "push" ? await ledger.timeline?.(id) : undefined;
  const known = definedMembers({ id: command === "push" ? id : undefined, finishedAt, timeline });
  return { command, startedAt, target, supplier, operation, dryRun, ...known };
}

/**
 * Returns the title of a report. Names only the first file (`push accounts.csv and 3 more files`), because a pattern
 * can match thousands of files.
 */
function titleOf({ command, id }: Run, job: Job | undefined): string {
  const [first, ...more] = job?.input.files ?? [];
  if (first === undefined) return `${command} ${id}`;
  const others = more.length === 0 ? "" : ` and ${more.length} more ${plural(more.length, "file")}`;
  return `${command} ${first.file}${others}`;
}

function exitCodeOf({ checked, sent }: RunResult, { run, job }: EndedRun, { exitCode, counts }: Summary): number {
  if (checked?.reason === "too_many_errors") return TOO_MANY_ERRORS;
  const unread = checked === undefined ? (unreadExitCode(run) ?? 0) : 0;
  const stopped = checked?.reason === "stopped" || isComparisonLeft(sent, counts, job) ? [3] : [];
  return highestPriorityExitCode([exitCode, unread, ...stopped, ...(sent?.failure ? [sent.failure.exitCode] : [])]);
}

/** Whether existing records are left to compare. A run that is stopped while sending does not compare them. */
function isComparisonLeft(sent: UploadEnd | undefined, { existing = 0 }: Summary["counts"], job?: Job): boolean {
  return sent?.reason === "drained" && existing > 0 && comparesContent(job);
}

function outcomesOf({ ledger, run, shownValues }: ReportableRun): Report["outcomes"] {
  return async function* outcomes(statuses?: readonly Status[]): AsyncGenerator<readonly Outcome[]> {
    for await (const batch of ledger.outcomes(run.id, statuses && { statuses })) {
      yield shownValues ? batch.map((outcome) => shownValues.fill(outcome)) : batch;
    }
  };
}

/** Returns the outcomes in columns, if the ledger stores them in columns. */
function columnsOf({ ledger, run, shownValues }: ReportableRun): Report["inColumns"] {
  const ofRun = ledger.outcomesInColumns?.bind(ledger, run.id);
  if (ofRun === undefined || shownValues === undefined) return ofRun;
  return async function* () {
    for await (const batch of ofRun()) {
      yield batch.map((part) => ("status" in part ? shownValues.fill(part) : part));
    }
  };
}
