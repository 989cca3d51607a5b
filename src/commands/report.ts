import { Failure } from "../model/failure.ts";
import type { Job } from "../run/job.ts";
import { openJob } from "../run/job.ts";
import { closedWithReport } from "../run/opened.ts";
import type { Parts } from "../run/parts.ts";
import { openLedgerToRead, requireRun } from "../run/run-ledger.ts";
import type { RunReport } from "../run/run-report.ts";
import { reportRun, requireReportFolder } from "../run/run-report.ts";
import type { RunSettings } from "../run/run-settings.ts";
import { refuseChanges, settingsOf } from "../run/run-settings.ts";

export interface ReportOptions {
  readonly ledger: string;
  /** Id of the run, or its beginning; none: the latest. */
  readonly run?: string | undefined;
  /** Folder to write the report files to again; default: the run's own. */
  readonly out?: string | undefined;
}

/** Renders the report of a run again, from the ledger; the rows that need work come from its sources. */
export function report(options: ReportOptions, parts: Parts): Promise<RunReport> {
  return closedWithReport(async (keep) => {
    const { ledger } = keep(await openLedgerToRead(options.ledger));
    const run = await requireRun(ledger, options.run);
    const settings = settingsOf(run);
    const out = options.out ?? settings.out;
    const job = await openedJob(settings, parts);
    if (job !== undefined) {
      keep(job.input);
      await requireReportFolder(out, job);
    }
    const exitCode = run.exitCode ?? (await ledger.summary(run.id)).exitCode;
    return reportRun({ ledger, run, job }, { ledger: options.ledger, out, showValues: false, exitCode }, parts);
  });
}

/** Without its sources, as they were, a run can still be reported, all but the rows that need work. */
async function openedJob(settings: RunSettings, parts: Parts): Promise<Job | undefined> {
  try {
    await refuseChanges(settings);
    return await openJob(settings.job, parts);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    parts.notice(`The rejects are left out: ${error.message}`);
    return undefined;
  }
}
