import { canResolveAmbiguous } from "../contract/operations/operation.ts";
import type { Ledger, Run } from "../ledger/ledger.ts";
import { openLedgerStore } from "../ledger/open-ledger-store.ts";
import type { CheckOptions } from "../migrate.ts";
import { check, send } from "../migrate.ts";
import type { CheckResult } from "../job/dependencies.ts";
import type { RunHandle } from "../pipeline/plan-records.ts";
import { planPolicy } from "../pipeline/plan-records.ts";
import { Failure } from "../model/failure.ts";
import { connect, hostOf } from "../job/target-connection.ts";
import type { Job } from "../job/job.ts";
import { openJob } from "../job/job.ts";
import { closeAfterReport } from "../pipeline/with-run.ts";
import { createShownValues } from "../report/shown-values.ts";
import type { Dependencies } from "../job/dependencies.ts";
import { finishOnFailure, requireRun } from "../pipeline/run-ledger.ts";
import type { RunReport } from "../pipeline/run-report.ts";
import { endRun, requireReportFolder } from "../pipeline/run-report.ts";
import { requireUnchangedFiles, settingsOf } from "../job/recorded-settings.ts";
import { removeUnneededInput } from "../job/standard-input.ts";

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
export function resume(options: ResumeOptions, dependencies: Dependencies): Promise<RunReport> {
  return closeAfterReport(async (keep) => {
    const store = await openLedgerStore(options.ledger);
    const ledger = keep(await store.write("resume", { create: false }));
    keep({ close: () => removeUnneededInput(store, ledger) });
    const run = await requireRun(ledger, options.run);
    refuseDryRun(run);
    const settings = settingsOf(run);
    const { pace, revise, allowEmpty, sendInvalid, maxErrors } = settings;
    await requireUnchangedFiles(settings);
    const job = await openJob(settings.job, dependencies);
    keep(job.input);
    const out = options.out ?? settings.out;
    await requireReportFolder(out, job);
    const handle = { ledger, run: run.id, target: hostOf(settings.target) };
    const shownValues = options.showValues ? createShownValues() : undefined;
    return finishOnFailure(handle, async () => {
      await ledger.resumeRun(run.id, planPolicy(job, revise));
      const connection = (await isAnythingLeft(run, job, ledger))
        ? keep(await connect(settings.target, job.operation, { dependencies, pace }))
        : undefined;
      const { drain: signal, onCheck: onProgress } = dependencies;
      const checking = { revise, allowEmpty, sendInvalid, maxErrors, signal, onProgress, shownValues };
      const end = run.state === "planning" ? await restartCheck(job, handle, checking) : undefined;
      const willSend = connection !== undefined && (end === undefined || end.reason === "done");
      const sent = willSend
        ? await send(job, handle, { connection, pace, dependencies, shownValues, until: settings.until })
        : undefined;
      return endRun({ ledger, run, job, end, sent, shownValues }, { ...options, store, out }, dependencies);
    });
  });
}

/** Of a run that has been taken up again. Its input may not have been read to its end. */
async function isAnythingLeft({ id, state }: Run, { operation }: Job, ledger: Ledger): Promise<boolean> {
  if (state === "planning") return true;
  const { pending = 0, ambiguous = 0 } = (await ledger.summary(id)).counts;
  return pending > 0 || (ambiguous > 0 && canResolveAmbiguous(operation));
}

function refuseDryRun({ id, dryRun }: Run): void {
  if (!dryRun) return;
  throw new Failure("usage", `run ${id} was a dry run: there is nothing to resume`, { hint: "use `migrate push`" });
}

/** The input had not been read to its end. */
async function restartCheck(job: Job, handle: RunHandle, options: CheckOptions): Promise<CheckResult> {
  await handle.ledger.restartPlan(handle.run);
  return check(job, handle, options);
}
