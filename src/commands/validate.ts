import { check } from "../migrate.ts";
import { createShownValues } from "../report/shown-values.ts";
import { openJob } from "../run/job.ts";
import { closedWithReport } from "../run/closed-with-report.ts";
import type { Parts } from "../run/parts.ts";
import type { RunOptions } from "../run/run-options.ts";
import type { RunReport } from "../run/run-report.ts";
import { endRun, requireReportFolder } from "../run/run-report.ts";
import { withStandardInput } from "../run/standard-input.ts";
import { openThrowAwayRun } from "../run/throw-away-run.ts";

/** Reads, maps and validates the whole input, and reports. Opens no socket. */
export function validate(options: RunOptions, parts: Parts): Promise<RunReport> {
  return closedWithReport(async (keep) => {
    const { out, showValues, allowEmpty, maxErrors } = options;
    const job = await openJob(await withStandardInput(options.job, parts.temporaryFolder, parts), parts);
    keep(job.input);
    await requireReportFolder(out, job);
    const { ledger, run } = keep(await openThrowAwayRun("validate", job, parts));
    const shownValues = showValues ? createShownValues() : undefined;
    const { drain: signal, onCheck: onProgress } = parts;
    const checking = { revise: false, allowEmpty, maxErrors, signal, onProgress, shownValues };
    const end = await check(job, { ledger, run: run.id }, checking);
    return endRun({ ledger, run, job, end, shownValues }, { out, showValues }, parts);
  });
}
