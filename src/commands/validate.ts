import { openTemporaryLedger } from "../ledger/sqlite-ledger.ts";
import { check } from "../migrate.ts";
import { createShownValues } from "../report/shown-values.ts";
import type { Job, JobSettings } from "../run/job.ts";
import { openJob } from "../run/job.ts";
import { closedWithReport } from "../run/opened.ts";
import type { Parts } from "../run/parts.ts";
import type { Tolerance } from "../run/plan-records.ts";
import type { RunReport } from "../run/run-report.ts";
import { endRun, requireReportFolder } from "../run/run-report.ts";
import { withStandardInput } from "../run/standard-input.ts";

export interface ValidateOptions {
  readonly job: JobSettings;
  readonly maxErrors?: Tolerance | undefined;
  readonly allowEmpty: boolean;
  readonly showValues: boolean;
  /** Report folder; without it nothing is written. */
  readonly out?: string | undefined;
}

/** Reads, maps and validates the whole input, and reports. Opens no socket. */
export function validate(options: ValidateOptions, parts: Parts): Promise<RunReport> {
  return closedWithReport(async (keep) => {
    const { out, showValues, allowEmpty, maxErrors } = options;
    const job = await openJob(await withStandardInput(options.job, parts.temporaryFolder, parts), parts);
    keep(job.input);
    await requireReportFolder(out, job);
    const ledger = keep(await openTemporaryLedger(parts.temporaryFolder, { large: isLarge(job) }));
    const run = await ledger.startRun({
      command: "validate",
      target: "",
      supplier: options.job.supplier ?? "",
      operation: job.operation.id,
      settings: {},
      dryRun: false,
      startedAt: new Date(parts.clock.now()).toISOString(),
    });
    const shownValues = showValues ? createShownValues() : undefined;
    const { drain: signal, onCheck: onProgress } = parts;
    const checking = { revise: false, allowEmpty, maxErrors, signal, onProgress, shownValues };
    const end = await check(job, { ledger, run: run.id }, checking);
    return endRun({ ledger, run, job, end, shownValues }, { out, showValues }, parts);
  });
}

/** From here on the second thread is started sooner than it has paid for itself. */
const LARGE_BYTES = 8_000_000;

function isLarge({ input }: Job): boolean {
  return input.files.reduce((sum, { bytes }) => sum + bytes, 0) >= LARGE_BYTES;
}
