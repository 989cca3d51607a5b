import type { Dependencies } from "../../job/dependencies.ts";
import { settingsOf } from "../../job/settings/recorded-settings.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import { requireRun } from "../../pipeline/run/run-ledger.ts";
import { reportRun, requireReportFolder, type RunReport } from "../../pipeline/run/run-report.ts";
import { openJobIfUnchanged } from "../../pipeline/run/recorded-job.ts";
import { closeAfterReport } from "../../pipeline/run/close-after-report.ts";

export interface ReportOptions {
  readonly ledger: string;
  /** Id of the run, or a prefix of it; absent: the latest run. */
  readonly run?: string | undefined;
  /** Folder for the report files; default: the folder of the run. */
  readonly out?: string | undefined;
  /** Whether to write the rejects to a workbook as well. */
  readonly workbook?: boolean | undefined;
}

/** Renders the report of a run again, from the ledger. Rejected rows are read from the sources. */
export function report(options: ReportOptions, dependencies: Dependencies): Promise<RunReport> {
  return closeAfterReport(async (closeLater) => {
    const store = await openLedgerStore(options.ledger, dependencies);
    const ledger = closeLater(await store.read());
    const run = await requireRun(ledger, options.run);
    const settings = settingsOf(run);
    const out = options.out ?? settings.out;
    const job = await openJobIfUnchanged(settings, { stored: ledger, dependencies });
    if (job !== undefined) {
      closeLater(job.input);
      await requireReportFolder(out, job);
    }
    const exitCode = run.exitCode ?? (await ledger.summary(run.id)).exitCode;
    const reporting = { store, out, showValues: false, workbook: options.workbook };
    return reportRun({ ledger, run, job, reporting }, { exitCode }, dependencies);
  });
}
