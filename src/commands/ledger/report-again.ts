import type { Dependencies } from "../../job/dependencies.ts";
import { settingsOf } from "../../job/settings/recorded-settings.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import { requireRun } from "../../pipeline/run/run-ledger.ts";
import { reportRun, requireReportFolder, type RunReport } from "../../pipeline/run/run-report.ts";
import { openJobIfUnchanged } from "../../pipeline/run/recorded-job.ts";
import { closeAfterReport } from "../../pipeline/run/close-after-report.ts";

export interface ReportOptions {
  readonly ledger: string;
  /** Id of the run, or its beginning; none: the latest. */
  readonly run?: string | undefined;
  /** Folder to write the report files to again; default: the run's own. */
  readonly out?: string | undefined;
  /** The rejects are written to a workbook as well. */
  readonly workbook?: boolean | undefined;
}

/** Renders the report of a run again, from the ledger; the rows that need work come from its sources. */
export function report(options: ReportOptions, dependencies: Dependencies): Promise<RunReport> {
  return closeAfterReport(async (closeLater) => {
    const store = await openLedgerStore(options.ledger, dependencies);
    const ledger = closeLater(await store.read());
    const run = await requireRun(ledger, options.run);
    const settings = settingsOf(run);
    const out = options.out ?? settings.out;
    const job = await openJobIfUnchanged(settings, dependencies);
    if (job !== undefined) {
      closeLater(job.input);
      await requireReportFolder(out, job);
    }
    const exitCode = run.exitCode ?? (await ledger.summary(run.id)).exitCode;
    const reporting = { store, out, showValues: false, workbook: options.workbook };
    return reportRun({ ledger, run, job, reporting }, { exitCode }, dependencies);
  });
}
