import { jobAsItWas } from "../run/job-as-it-was.ts";
import { closedWithReport } from "../run/closed-with-report.ts";
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
export function report(options: ReportOptions, parts: Parts): Promise<RunReport> {
  return closedWithReport(async (keep) => {
    const { ledger } = keep(await openLedgerToRead(options.ledger));
    const run = await requireRun(ledger, options.run);
    const settings = settingsOf(run);
    const out = options.out ?? settings.out;
    const job = await jobAsItWas(settings, parts);
    if (job !== undefined) {
      keep(job.input);
      await requireReportFolder(out, job);
    }
    const exitCode = run.exitCode ?? (await ledger.summary(run.id)).exitCode;
    return reportRun({ ledger, run, job }, { ledger: options.ledger, out, showValues: false, exitCode }, parts);
  });
}
