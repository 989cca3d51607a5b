import { canResolveAmbiguous } from "../../contract/operations/operation.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import type { Counts } from "../../job/run-progress.ts";
import type { Job } from "../../job/job.ts";
import { connect } from "../../job/target-connection.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Run } from "../../ledger/records/run.ts";
import { continueSending, migrate } from "../../migrate.ts";
import { Failure } from "../../model/failure.ts";
import { confirmSending, unconfirmedTarget } from "../../pipeline/send/confirm-sending.ts";
import { planPolicy } from "../../pipeline/plan/plan-records.ts";
import { hasSent } from "../../pipeline/run/run-ledger.ts";
import type { RunReport, ShownRun } from "../../pipeline/run/run-report.ts";
import { type OpenRun, type RecordedRunOptions, withRecordedRun } from "../../pipeline/run/with-run.ts";
import { openRecordedJob } from "../../pipeline/run/recorded-job.ts";

export interface ResumeOptions extends RecordedRunOptions {
  /**
   * - true: send to production without confirmation
   * - false: do not send to production
   * - absent: use the confirmation of the run; ask if there was none and the run has sent nothing
   */
  readonly allowProduction?: boolean | undefined;
  /** Whether to send all records even if the records of the canary were not accepted. */
  readonly skipCanary?: boolean | undefined;
}

/**
 * Continues an unfinished push with the same input, target and settings. Keeps final outcomes. If no records are left
 * to send, reports the known outcomes and needs no credentials.
 */
export function resume(options: ResumeOptions, dependencies: Dependencies): Promise<RunReport> {
  return withRecordedRun<Job>({ command: "resume", options }, dependencies, async (recorded) => {
    const { ledger, run, settings, closeLater } = recorded;
    if (run.dryRun) {
      const message = `run ${run.id} was a dry run, so there is nothing to resume`;
      throw new Failure("usage", message, { hint: "use `migrate push`" });
    }
    const { allowProduction } = options;
    if (allowProduction === false && settings.target.production) throw unconfirmedTarget(run.target);
    // If the run is planned again, the ledger has no records for comparison yet. The whole content of each file is
    // compared instead of its size and modification time.
    const trustsTime = run.state !== "planning";
    const job = await openRecordedJob(settings, { stored: ledger, dependencies, trustsTime });
    const work = async (open: OpenRun): Promise<ShownRun> => {
      const { target, pace, until, workers } = settings;
      const canary = options.skipCanary === true ? undefined : settings.canary;
      await ledger.resumeRun(run.id, planPolicy(job, settings));
      const hasUnsent = await hasUnsentRecords(run, job, ledger);
      if (hasUnsent && workers !== undefined) await open.reporting.store?.requireSharing?.();
      const connection = hasUnsent
        ? closeLater(await connect(target, job.operation, { dependencies, pace }))
        : undefined;
      const isAsking = allowProduction !== true && settings.confirmed !== true && !(await hasSent(ledger, run));
      const ask = (counts: Counts): Promise<void> => confirmSending(settings, { run, counts }, dependencies);
      const confirm = isAsking ? ask : undefined;
      const sending = connection && { connection, pace, until, workers, canary, confirm };
      if (run.state !== "planning") return continueSending(open, sending);
      await ledger.restartPlan(run.id);
      return migrate(open, settings, sending);
    };
    return { job, work };
  });
}

/** Whether there may be records left to send. Also true for a run whose input was not read completely. */
async function hasUnsentRecords({ id, state }: Run, { operation }: Job, ledger: Ledger): Promise<boolean> {
  if (state === "planning") return true;
  const { pending = 0, ambiguous = 0 } = (await ledger.summary(id)).counts;
  return pending > 0 || (ambiguous > 0 && canResolveAmbiguous(operation));
}
