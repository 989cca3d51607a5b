import type { JobSettings } from "../run/job.ts";
import { openJob } from "../run/job.ts";
import { openTemporaryLedger } from "../ledger/sqlite-ledger.ts";
import type { Tolerance } from "../run/plan-records.ts";
import { check } from "../migrate.ts";
import type { Parts } from "../run/parts.ts";
import { createShownValues } from "../report/shown-values.ts";
import type { RunReport } from "../run/run-report.ts";
import { endRun, requireReportFolder } from "../run/run-report.ts";

export interface ValidateOptions {
  readonly job: JobSettings;
  readonly maxErrors?: Tolerance | undefined;
  readonly allowEmpty: boolean;
  readonly showValues: boolean;
  /** Report folder; without it nothing is written. */
  readonly out?: string | undefined;
}

/** Reads, maps and validates the whole input, and reports. Opens no socket. */
export async function validate(options: ValidateOptions, parts: Parts): Promise<RunReport> {
  const job = await openJob(options.job, parts);
  await requireReportFolder(options.out, job);
  const ledger = await openTemporaryLedger(parts.temporaryFolder);
  const run = await ledger.startRun({
    command: "validate",
    target: "",
    supplier: options.job.supplier ?? "",
    operation: job.operation.id,
    settings: {},
    dryRun: false,
    startedAt: new Date(parts.clock.now()).toISOString(),
  });
  const shownValues = options.showValues ? createShownValues() : undefined;
  const end = await check(
    job,
    { ledger, run: run.id },
    {
      revise: false,
      allowEmpty: options.allowEmpty,
      signal: parts.drain,
      onProgress: parts.onCheck,
      maxErrors: options.maxErrors,
      shownValues,
    },
  );
  const { out, showValues } = options;
  return endRun({ ledger, run, job, end, shownValues, release: () => ledger.close() }, { out, showValues }, parts);
}
