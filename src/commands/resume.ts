import { canSettleDoubts } from "../contract/workflow.ts";
import type { Ledger, Run } from "../ledger/ledger.ts";
import type { CheckOptions } from "../migrate.ts";
import { check, send } from "../migrate.ts";
import type { CheckEnd } from "../run/check-end.ts";
import type { RunBook } from "../run/plan-records.ts";
import { planPolicy } from "../run/plan-records.ts";
import { Failure } from "../model/failure.ts";
import { connect, hostOf } from "../run/connection.ts";
import type { Job } from "../run/job.ts";
import { openJob } from "../run/job.ts";
import { closedWithReport } from "../run/closed-with-report.ts";
import { createShownValues } from "../report/shown-values.ts";
import type { Parts } from "../run/parts.ts";
import { openRunLedger, recordedRun, requireRun } from "../run/run-ledger.ts";
import type { RunReport } from "../run/run-report.ts";
import { endRun, requireReportFolder } from "../run/run-report.ts";
import { refuseChanges, settingsOf } from "../run/run-settings.ts";
import { sweepStandardInput } from "../run/standard-input.ts";

export interface ResumeOptions {
  readonly ledger: string;
  /** Id of the run, or the beginning of it; none: the latest. */
  readonly run?: string | undefined;
  /** Report folder; none: where the run's report was to lie. */
  readonly out?: string | undefined;
  readonly showValues: boolean;
}

/**
 * Goes on with an unfinished push: same input, same target, same settings. What is settled stays settled. Where nothing
 * is left to send, it tells what is known, and wants no credentials.
 */
export function resume(options: ResumeOptions, parts: Parts): Promise<RunReport> {
  return closedWithReport(async (keep) => {
    const { ledger } = keep(await openRunLedger(options.ledger, "resume"));
    keep({ close: () => sweepStandardInput(options.ledger, ledger) });
    const run = await requireRun(ledger, options.run);
    refuseDryRun(run);
    const settings = settingsOf(run);
    const { pace, revise, allowEmpty, sendInvalid, maxErrors } = settings;
    await refuseChanges(settings);
    const job = await openJob(settings.job, parts);
    keep(job.input);
    const out = options.out ?? settings.out;
    await requireReportFolder(out, job);
    const book = { ledger, run: run.id, target: hostOf(settings.target) };
    const shownValues = options.showValues ? createShownValues() : undefined;
    return recordedRun(book, async () => {
      await ledger.resumeRun(run.id, planPolicy(job, revise));
      const connection = (await isAnythingLeft(run, job, ledger))
        ? keep(await connect(settings.target, job.operation, { parts, pace }))
        : undefined;
      const { drain: signal, onCheck: onProgress } = parts;
      const checking = { revise, allowEmpty, sendInvalid, maxErrors, signal, onProgress, shownValues };
      const end = run.state === "planning" ? await checkAnew(job, book, checking) : undefined;
      const willSend = connection !== undefined && (end === undefined || end.reason === "done");
      const sent = willSend
        ? await send(job, book, { connection, pace, parts, shownValues, until: settings.until })
        : undefined;
      return endRun({ ledger, run, job, end, sent, shownValues }, { ...options, out }, parts);
    });
  });
}

/** Of a run that has been taken up again. Its input may not have been read to its end. */
async function isAnythingLeft({ id, state }: Run, { operation }: Job, ledger: Ledger): Promise<boolean> {
  if (state === "planning") return true;
  const { pending = 0, ambiguous = 0 } = (await ledger.summary(id)).counts;
  return pending > 0 || (ambiguous > 0 && canSettleDoubts(operation));
}

function refuseDryRun({ id, dryRun }: Run): void {
  if (!dryRun) return;
  throw new Failure("usage", `run ${id} was a dry run: there is nothing to resume`, { hint: "use `migrate push`" });
}

/** The input had not been read to its end. */
async function checkAnew(job: Job, book: RunBook, options: CheckOptions): Promise<CheckEnd> {
  await book.ledger.restartPlan(book.run);
  return check(job, book, options);
}
