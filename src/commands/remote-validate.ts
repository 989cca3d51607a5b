import { openTemporaryLedger } from "../ledger/sqlite-ledger.ts";
import { check, send } from "../migrate.ts";
import { createShownValues } from "../report/shown-values.ts";
import type { PaceSettings, TargetSettings } from "../run/connection.ts";
import { connect, hostOf } from "../run/connection.ts";
import { openJob, requireKey } from "../run/job.ts";
import { closedWithReport } from "../run/closed-with-report.ts";
import type { Parts } from "../run/parts.ts";
import type { RunOptions } from "../run/run-options.ts";
import type { RunReport } from "../run/run-report.ts";
import { endRun, requireReportFolder } from "../run/run-report.ts";
import { describeRun } from "../run/run-settings.ts";
import { withStandardInput } from "../run/standard-input.ts";

export interface RemoteValidateOptions extends RunOptions {
  readonly target: TargetSettings;
  readonly pace: PaceSettings;
}

/**
 * Validates the whole input, then has the platform validate what is valid here. Creates nothing and remembers nothing:
 * its ledger is thrown away.
 */
export function remoteValidate(options: RemoteValidateOptions, parts: Parts): Promise<RunReport> {
  return closedWithReport(async (keep) => {
    const { target, pace, allowEmpty, maxErrors, showValues, out } = options;
    const settings = await withStandardInput(options.job, parts.temporaryFolder, parts);
    const job = await openJob(settings, parts);
    keep(job.input);
    await requireReportFolder(out, job);
    requireKey(job);
    const connection = keep(await connect(target, job.operation, { parts, pace, rehearsal: true }));
    const host = hostOf(target);
    const ledger = keep(await openTemporaryLedger(parts.temporaryFolder));
    const about = { ...options, job: settings, revise: false, dryRun: false };
    const run = await ledger.startRun(await describeRun(about, { job, host, clock: parts.clock }));
    const shownValues = showValues ? createShownValues() : undefined;
    const { drain: signal, onCheck: onProgress } = parts;
    const book = { ledger, run: run.id, target: host };
    const end = await check(job, book, { revise: false, allowEmpty, maxErrors, signal, onProgress, shownValues });
    const sending = { connection, pace, parts, shownValues, rehearsal: true };
    const sent = end.reason === "done" ? await send(job, book, sending) : undefined;
    return endRun({ ledger, run, job, end, sent, shownValues }, { out, showValues, flags: AGAIN }, parts);
  });
}

/** What makes the next command such a run again. */
const AGAIN = ["--remote-validate"];
