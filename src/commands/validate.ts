import { check } from "../migrate.ts";
import { createShownValues } from "../report/shown-values.ts";
import { openJob } from "../job/job.ts";
import { closeAfterReport } from "../pipeline/with-run.ts";
import type { Dependencies } from "../job/dependencies.ts";
import type { RunOptions } from "../pipeline/with-run.ts";
import type { RunReport } from "../pipeline/run-report.ts";
import { endRun, requireReportFolder } from "../pipeline/run-report.ts";
import { withStandardInput } from "../job/standard-input.ts";
import { openTemporaryRun } from "../pipeline/run-ledger.ts";

/** Reads, maps and validates the whole input, and reports. Opens no socket. */
export function validate(options: RunOptions, dependencies: Dependencies): Promise<RunReport> {
  return closeAfterReport(async (keep) => {
    const { out, showValues, allowEmpty, maxErrors } = options;
    const job = await openJob(
      await withStandardInput(options.job, dependencies.temporaryFolder, dependencies),
      dependencies,
    );
    keep(job.input);
    await requireReportFolder(out, job);
    const { ledger, run } = keep(await openTemporaryRun("validate", job, dependencies));
    const shownValues = showValues ? createShownValues() : undefined;
    const { drain: signal, onCheck: onProgress } = dependencies;
    const checking = { revise: false, allowEmpty, maxErrors, signal, onProgress, shownValues };
    const end = await check(job, { ledger, run: run.id }, checking);
    return endRun({ ledger, run, job, end, shownValues }, { out, showValues }, dependencies);
  });
}
