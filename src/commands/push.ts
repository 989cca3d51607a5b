import type { PaceSettings, TargetSettings } from "../run/connection.ts";
import { connect, hostOf } from "../run/connection.ts";
import type { Job, JobSettings } from "../run/job.ts";
import { openJob } from "../run/job.ts";
import type { Tolerance } from "../run/plan-records.ts";
import { check, send } from "../migrate.ts";
import { Failure } from "../model/failure.ts";
import type { Parts } from "../run/parts.ts";
import { createShownValues } from "../report/shown-values.ts";
import { openRunLedger } from "../run/run-ledger.ts";
import type { RunReport } from "../run/run-report.ts";
import { endRun, requireReportFolder } from "../run/run-report.ts";
import { describeRun } from "../run/run-settings.ts";

export interface PushOptions {
  readonly job: JobSettings;
  readonly target: TargetSettings;
  readonly pace: PaceSettings;
  /** Path of the ledger's file. */
  readonly ledger: string;
  readonly maxErrors?: Tolerance | undefined;
  readonly allowEmpty: boolean;
  readonly dryRun: boolean;
  readonly revise: boolean;
  /** Send to a production target without asking. */
  readonly yes: boolean;
  readonly showValues: boolean;
  /** Report folder; default: one below the ledger's folder. */
  readonly out?: string | undefined;
}

/** Validates the whole input, then uploads what is valid; what was accepted before is passed over. */
export async function push(options: PushOptions, parts: Parts): Promise<RunReport> {
  const { ledger, release } = await openRunLedger(options.ledger, "push");
  try {
    const job = await openJob(options.job, parts);
    await requireReportFolder(options.out, job);
    requireKey(job);
    const host = hostOf(options.target);
    const connection = options.dryRun
      ? undefined
      : await connect(options.target, job.operation, { parts, pace: options.pace });
    if (!options.dryRun) await confirmProduction(options, host, parts);
    const run = await ledger.startRun(await describeRun(options, { job, host, clock: parts.clock }));
    const shownValues = options.showValues ? createShownValues() : undefined;
    const book = { ledger, run: run.id, target: host };
    const end = await check(job, book, {
      revise: options.revise,
      allowEmpty: options.allowEmpty,
      signal: parts.drain,
      onProgress: parts.onCheck,
      maxErrors: options.maxErrors,
      shownValues,
    });
    const sent =
      connection !== undefined && end.reason === "done"
        ? await send(job, book, { connection, pace: options.pace, parts, shownValues })
        : undefined;
    await connection?.close();
    return await endRun({ ledger, run, job, end, sent, shownValues, release }, options, parts);
  } catch (error) {
    await release();
    throw error;
  }
}

function requireKey(job: Job): void {
  if (job.mapping.keyAttr !== undefined) return;
  throw new Failure("config", "records have no business key, so none could be recognised again", {
    hint: "name the key's attr: `key:` in the mapping, or `x-migrate-key` in the contract",
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
