import { check, send } from "../migrate.ts";
import { planPolicy } from "../run/plan-records.ts";
import { Failure } from "../model/failure.ts";
import { connect, hostOf } from "../run/connection.ts";
import { openJob } from "../run/job.ts";
import { createShownValues } from "../report/shown-values.ts";
import type { Parts } from "../run/parts.ts";
import { openRunLedger, requireRun } from "../run/run-ledger.ts";
import type { RunReport } from "../run/run-report.ts";
import { endRun, requireReportFolder } from "../run/run-report.ts";
import { refuseChanges, settingsOf } from "../run/run-settings.ts";

export interface ResumeOptions {
  readonly ledger: string;
  /** Id of the run, or the beginning of it; none: the latest. */
  readonly run?: string | undefined;
  /** Report folder; none: where the run's report was to lie. */
  readonly out?: string | undefined;
  readonly showValues: boolean;
}

/** Goes on with an unfinished push: same input, same target, same settings. What is settled stays settled. */
export async function resume(options: ResumeOptions, parts: Parts): Promise<RunReport> {
  const { ledger, release } = await openRunLedger(options.ledger, "resume");
  try {
    const run = await requireRun(ledger, options.run);
    if (run.dryRun) {
      throw new Failure("usage", `run ${run.id} was a dry run: there is nothing to resume`, {
        hint: "use `migrate push`",
      });
    }
    const settings = settingsOf(run);
    await refuseChanges(settings);
    const job = await openJob(settings.job, parts);
    const out = options.out ?? settings.out;
    await requireReportFolder(out, job);
    const connection = await connect(settings.target, job.operation, { parts, pace: settings.pace });
    const book = { ledger, run: run.id, target: hostOf(settings.target) };
    await ledger.resumeRun(run.id, planPolicy(job, settings.revise));
    if (run.state === "planning") await ledger.restartPlan(run.id);
    const end =
      run.state === "planning"
        ? await check(job, book, { ...settings, signal: parts.drain, onProgress: parts.onCheck })
        : undefined;
    const willSend = end === undefined || end.reason === "done";
    const shownValues = options.showValues ? createShownValues() : undefined;
    const sent = willSend ? await send(job, book, { connection, pace: settings.pace, parts, shownValues }) : undefined;
    await connection.close();
    const reporting = { ledger: options.ledger, out, showValues: options.showValues };
    return await endRun({ ledger, run, job, end, sent, shownValues, release }, reporting, parts);
  } catch (error) {
    await release();
    throw error;
  }
}
