import { reopenJob } from "../../pipeline/with-run.ts";
import { closeAfterReport } from "../../pipeline/with-run.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import { requireRun } from "../../pipeline/run-ledger.ts";
import type { RunReport } from "../../pipeline/run-report.ts";
import { reportRun, requireReportFolder } from "../../pipeline/run-report.ts";
import { settingsOf } from "../../job/recorded-settings.ts";

export interface ReportOptions {
  readonly ledger: string;
  /** Id of the run, or its beginning; none: the latest. */
  readonly run?: string | undefined;
  /** Folder to write the report files to again; default: the run's own. */
  readonly out?: string | undefined;
}

/** Renders the report of a run again, from the ledger; the rows that need work come from its sources. */
export function report(options: ReportOptions, dependencies: Dependencies): Promise<RunReport> {
  return closeAfterReport(async (keep) => {
    const store = await openLedgerStore(options.ledger);
    const ledger = keep(await store.read());
    const run = await requireRun(ledger, options.run);
    const settings = settingsOf(run);
    const out = options.out ?? settings.out;
    const job = await reopenJob(settings, dependencies);
    if (job !== undefined) {
      keep(job.input);
      await requireReportFolder(out, job);
    }
    const exitCode = run.exitCode ?? (await ledger.summary(run.id)).exitCode;
    return reportRun({ ledger, run, job }, { store, out, showValues: false, exitCode }, dependencies);
  });
}
