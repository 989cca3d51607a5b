import { refuseOtherRecipient } from "../run/bound-ledger.ts";
import type { PaceSettings, TargetSettings } from "../run/connection.ts";
import { connect, hostOf } from "../run/connection.ts";
import type { Job } from "../run/job.ts";
import { openJob, requireKey } from "../run/job.ts";
import { closedWithReport } from "../run/closed-with-report.ts";
import { check, send } from "../migrate.ts";
import { Failure } from "../model/failure.ts";
import type { Parts } from "../run/parts.ts";
import { createShownValues } from "../report/shown-values.ts";
import { openRunLedger, recordedRun } from "../run/run-ledger.ts";
import type { RunOptions } from "../run/run-options.ts";
import type { RunReport } from "../run/run-report.ts";
import { endRun, requireReportFolder } from "../run/run-report.ts";
import { describeRun } from "../run/run-settings.ts";
import type { Supplier } from "../run/supplier.ts";
import { requireOngoing } from "../run/supplier.ts";
import { standardInputFolder, sweepStandardInput, withStandardInput } from "../run/standard-input.ts";

export interface PushOptions extends RunOptions {
  readonly target: TargetSettings;
  readonly supplier: Supplier;
  readonly pace: PaceSettings;
  /** Path of the ledger's file. */
  readonly ledger: string;
  readonly dryRun: boolean;
  readonly revise: boolean;
  /** Send also what is invalid here, where it can be: the platform is to judge. */
  readonly sendInvalid?: boolean | undefined;
  /** The name of a step of the workflow: what is done with it is left `pending` there. */
  readonly until?: string | undefined;
  /** Send to a production target without asking. */
  readonly yes: boolean;
}

/** Validates the whole input, then uploads what is valid; what was accepted before is passed over. */
export function push(options: PushOptions, parts: Parts): Promise<RunReport> {
  return closedWithReport(async (keep) => {
    const { dryRun, pace, revise, allowEmpty, sendInvalid, maxErrors } = options;
    if (!dryRun) requireOngoing(options.supplier);
    const { ledger } = keep(await openRunLedger(options.ledger, "push"));
    keep({ close: () => sweepStandardInput(options.ledger, ledger) });
    const settings = await withStandardInput(options.job, standardInputFolder(options.ledger), parts);
    const job = await openJob(settings, parts);
    keep(job.input);
    await requireReportFolder(options.out, job);
    requireKey(job);
    requireStep(job.operation, options.until);
    const host = hostOf(options.target);
    await refuseOtherRecipient(ledger, options.ledger, { host, supplier: settings.supplier ?? "" });
    const connection = dryRun ? undefined : keep(await connect(options.target, job.operation, { parts, pace }));
    if (!dryRun) await confirmProduction(options, host, parts);
    if (!dryRun) await confirmInvalid(options, host, parts);
    const run = await ledger.startRun(
      await describeRun({ ...options, job: settings }, { job, host, clock: parts.clock }),
    );
    const shownValues = options.showValues ? createShownValues() : undefined;
    const book = { ledger, run: run.id, target: host };
    return recordedRun(book, async () => {
      const { drain: signal, onCheck: onProgress } = parts;
      const end = await check(job, book, {
        revise,
        allowEmpty,
        sendInvalid,
        maxErrors,
        signal,
        onProgress,
        shownValues,
      });
      const willSend = connection !== undefined && end.reason === "done";
      const sent = willSend
        ? await send(job, book, { connection, pace, parts, shownValues, until: options.until })
        : undefined;
      return endRun({ ledger, run, job, end, sent, shownValues }, options, parts);
    });
  });
}

/** A run can stop before what creates, and nowhere else. */
function requireStep({ steps, id }: Job["operation"], until: string | undefined): void {
  const names = steps.slice(0, -1).map(({ name }) => name);
  if (until === undefined || names.includes(until)) return;
  throw new Failure("usage", `--until ${until}: ${id} has no such step to stop after`, {
    hint: names.length === 0 ? "its workflow is one request" : `it can stop after ${names.join(" or ")}`,
  });
}

async function confirmProduction(options: PushOptions, host: string, parts: Parts): Promise<void> {
  if (!options.target.production || options.yes) return;
  const answer = await parts.ask(`This sends to production. Type the host to go on (${host}): `);
  if (answer?.trim() === host) return;
  throw new Failure("wrong_target", `${host} is a production target, and nobody confirmed it`, {
    hint: "type the host when asked, or pass --yes",
  });
}

async function confirmInvalid({ sendInvalid, yes }: PushOptions, host: string, parts: Parts): Promise<void> {
  if (sendInvalid !== true || yes) return;
  const answer = await parts.ask(`This sends also what is invalid here. Type the host to go on (${host}): `);
  if (answer?.trim() === host) return;
  throw new Failure("usage", "--send-invalid sends what is invalid here, and nobody confirmed it", {
    hint: "type the host when asked, or pass --yes",
  });
}
