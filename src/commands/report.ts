import type { Run } from "../ledger/ledger.ts";
import { Failure } from "../model/failure.ts";
import type { Job } from "../run/job.ts";
import { openJob } from "../run/job.ts";
import type { Parts } from "../run/parts.ts";
import { openLedgerToRead, requireRun } from "../run/run-ledger.ts";
import type { RunReport } from "../run/run-report.ts";
import { reportRun, requireReportFolder } from "../run/run-report.ts";
import { settingsOf } from "../run/run-settings.ts";

export interface ReportOptions {
  readonly ledger: string;
  /** Id of the run, or its beginning; none: the latest. */
  readonly run?: string | undefined;
  /** Folder to write the report files to again; default: the run's own. */
  readonly out?: string | undefined;
}

/** Renders the report of a run again, from the ledger; the rows that need work come from its sources. */
export async function report(options: ReportOptions, parts: Parts): Promise<RunReport> {
  const { ledger, release } = await openLedgerToRead(options.ledger);
  try {
    const run = await requireRun(ledger, options.run);
    const job = await openedJob(run, parts);
    if (job !== undefined) await requireReportFolder(options.out, job);
    const exitCode = run.exitCode ?? (await ledger.summary(run.id)).exitCode;
    return await reportRun({ ledger, run, job, release }, { ...options, showValues: false, exitCode }, parts);
  } catch (error) {
    await release();
    throw error;
  }
}

/** Without its sources a run can still be reported, all but the rows that need work. */
async function openedJob(run: Run, parts: Parts): Promise<Job | undefined> {
  try {
    return await openJob(settingsOf(run).job, parts);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    parts.notice(`The rejects are left out, because the run's sources cannot be read again: ${error.message}`);
    return undefined;
  }
}
