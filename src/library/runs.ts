import { report as reportAgain } from "../commands/ledger/report.ts";
import { push as pushRecords } from "../commands/upload/push.ts";
import { reconcile as reconcileRun } from "../commands/upload/reconcile.ts";
import { resume as resumeRun } from "../commands/upload/resume.ts";
import { validate as validateRecords } from "../commands/check/validate.ts";
import type { Dependencies } from "../job/dependencies.ts";
import type { RunReport } from "../pipeline/run/run-report.ts";
import { knownError, openCall } from "./call.ts";
import {
  type CallOptions,
  type Credentials,
  type PushOptions,
  type ReconcileOptions,
  REPORT_AGAIN,
  type ReportAgainOptions,
  requireOptions,
  requirePushOptions,
  requireReconcileOptions,
  requireResumeOptions,
  type ResumeOptions,
  VALIDATE,
  type ValidateOptions,
} from "./run-options.ts";
import { openResult, recordedResult } from "./result-of-run.ts";
import type { RunResult } from "./run-result.ts";
import { folderOf, ledgerOf, paceOf, reportOptions, runOptions, targetSettings } from "./settings-of-options.ts";

/**
 * Reads, maps and validates the whole input. Opens no socket.
 * @throws Failure
 */
export async function validate(options: ValidateOptions): Promise<RunResult> {
  requireOptions(options, VALIDATE, "validate");
  const call = openCall(options);
  try {
    const run = await validateRecords(runOptions(options), call.dependencies);
    const close = async (): Promise<void> => {
      await run.close();
      call.end();
    };
    try {
      await call.check();
    } catch (error) {
      await close();
      throw error;
    }
    return openResult(run, { showValues: options.showValues ?? false, close });
  } catch (error) {
    call.end();
    throw knownError(error);
  }
}

/**
 * Validates the whole input, then sends the valid records unless `dryRun` is set. Holds the ledger's lock until the
 * end, so that another run on the ledger, in any process, fails with `ledger_in_use`.
 * @throws Failure
 */
export async function push(options: PushOptions): Promise<RunResult> {
  requirePushOptions(options);
  const { target, allowProduction = false, dryRun = false } = options;
  const common = runOptions(options);
  const settings = targetSettings(target, common.job.folder);
  const pushed = {
    ...common,
    target: settings,
    ledger: ledgerOf(options),
    supplier: { code: options.supplier },
    pace: paceOf(options.pace),
    dryRun,
    yes: allowProduction || !settings.production,
  };
  return recorded(options, pushed, (dependencies) => pushRecords(pushed, dependencies));
}

/**
 * Continues an unfinished push with its recorded settings.
 * @throws Failure
 */
export async function resume(options: ResumeOptions = {}): Promise<RunResult> {
  requireResumeOptions(options);
  const { run, allowProduction = false, skipCanary } = options;
  const resumed = {
    run,
    allowProduction,
    skipCanary,
    ...reportOptions(options),
    folder: folderOf(options),
    ledger: ledgerOf(options),
  };
  return recorded(options, resumed, (dependencies) => resumeRun(resumed, dependencies));
}

/**
 * Resolves `ambiguous` and `existing` records. Queries the platform, or records a manual decision. Sends no records.
 * @throws Failure
 */
export async function reconcile(options: ReconcileOptions = {}): Promise<RunResult> {
  requireReconcileOptions(options);
  const { run, quietMs, decide } = options;
  const { accept = [], resend = [], who = "" } = decide ?? {};
  const asked = {
    run,
    quietMs,
    accept,
    resend,
    who,
    ...reportOptions(options),
    folder: folderOf(options),
    ledger: ledgerOf(options),
  };
  return recorded(options, asked, (dependencies) => reconcileRun(asked, dependencies));
}

/**
 * Writes a new report of a run from the ledger. May be called during a push. Does not contact the platform.
 * @throws Failure
 */
export async function report(options: ReportAgainOptions = {}): Promise<RunResult> {
  requireOptions(options, REPORT_AGAIN, "report");
  const { run } = options;
  const { out, workbook } = reportOptions(options);
  const again = { run, out, workbook, ledger: ledgerOf(options), showValues: false };
  return recorded(options, again, (dependencies) => reportAgain(again, dependencies));
}

/** Runs a command on a ledger. Closes the ledger and releases its lock before it returns the result. */
async function recorded(
  options: CallOptions & { readonly credentials?: Credentials | undefined },
  { ledger, showValues }: { readonly ledger: string; readonly showValues: boolean },
  command: (dependencies: Dependencies) => Promise<RunReport>,
): Promise<RunResult> {
  const call = openCall(options, options.credentials);
  try {
    const run = await command(call.dependencies);
    await run.close();
    await call.check();
    return recordedResult(run, ledger, { showValues });
  } catch (error) {
    throw knownError(error);
  } finally {
    call.end();
  }
}
