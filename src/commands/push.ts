import type { Dependencies } from "../job/dependencies.ts";
import type { Job } from "../job/job.ts";
import { openJob, requireKey } from "../job/job.ts";
import { describeRun } from "../job/recorded-settings.ts";
import { removeUnneededInput, standardInputFolder, withStandardInput } from "../job/standard-input.ts";
import type { Supplier } from "../job/supplier-settings.ts";
import { requireOngoing } from "../job/supplier-settings.ts";
import type { RateLimitSettings, TargetSettings } from "../job/target-connection.ts";
import { connect, hostOf } from "../job/target-connection.ts";
import { openLedgerStore } from "../ledger/open-ledger-store.ts";
import { openTemporaryLedger } from "../ledger/sqlite/sqlite-ledger.ts";
import { check, send } from "../migrate.ts";
import { Failure } from "../model/failure.ts";
import { finishOnFailure, requireSameDestination } from "../pipeline/run-ledger.ts";
import type { RunReport } from "../pipeline/run-report.ts";
import { endRun, requireReportFolder } from "../pipeline/run-report.ts";
import type { RunOptions } from "../pipeline/with-run.ts";
import { closeAfterReport } from "../pipeline/with-run.ts";
import { createShownValues } from "../report/shown-values.ts";

export interface PushOptions extends RunOptions {
  readonly target: TargetSettings;
  readonly supplier: Supplier;
  readonly pace: RateLimitSettings;
  /** Locator of the ledger: the path of its file. */
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
export function push(options: PushOptions, dependencies: Dependencies): Promise<RunReport> {
  return closeAfterReport(async (keep) => {
    const { dryRun, pace, revise, allowEmpty, sendInvalid, maxErrors } = options;
    if (!dryRun) requireOngoing(options.supplier);
    const store = await openLedgerStore(options.ledger);
    const ledger = keep(await store.write("push", { create: true }));
    keep({ close: () => removeUnneededInput(store, ledger) });
    const settings = await withStandardInput(options.job, standardInputFolder(store), dependencies);
    const job = await openJob(settings, dependencies);
    keep(job.input);
    await requireReportFolder(options.out, job);
    requireKey(job);
    requireStep(job.operation, options.until);
    const host = hostOf(options.target);
    await requireSameDestination(ledger, store.name, { host, supplier: settings.supplier ?? "" });
    const connection = dryRun ? undefined : keep(await connect(options.target, job.operation, { dependencies, pace }));
    if (!dryRun) await confirmProduction(options, host, dependencies);
    if (!dryRun) await confirmInvalid(options, host, dependencies);
    const run = await ledger.startRun(
      await describeRun({ ...options, job: settings }, { job, host, clock: dependencies.clock }),
    );
    const shownValues = options.showValues ? createShownValues() : undefined;
    const handle = { ledger, run: run.id, target: host };
    return finishOnFailure(handle, async () => {
      const { drain: signal, onCheck: onProgress } = dependencies;
      const end = await check(job, handle, {
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
        ? await send(job, handle, { connection, pace, dependencies, shownValues, until: options.until })
        : undefined;
      return endRun({ ledger, run, job, end, sent, shownValues }, { ...options, store }, dependencies);
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

async function confirmProduction(options: PushOptions, host: string, dependencies: Dependencies): Promise<void> {
  if (!options.target.production || options.yes) return;
  const answer = await dependencies.ask(`This sends to production. Type the host to go on (${host}): `);
  if (answer?.trim() === host) return;
  throw new Failure("wrong_target", `${host} is a production target, and nobody confirmed it`, {
    hint: "type the host when asked, or pass --yes",
  });
}

async function confirmInvalid(
  { sendInvalid, yes }: PushOptions,
  host: string,
  dependencies: Dependencies,
): Promise<void> {
  if (sendInvalid !== true || yes) return;
  const answer = await dependencies.ask(`This sends also what is invalid here. Type the host to go on (${host}): `);
  if (answer?.trim() === host) return;
  throw new Failure("usage", "--send-invalid sends what is invalid here, and nobody confirmed it", {
    hint: "type the host when asked, or pass --yes",
  });
}

export interface RemoteValidateOptions extends RunOptions {
  readonly target: TargetSettings;
  readonly pace: RateLimitSettings;
}

/**
 * Validates the whole input, then has the platform validate what is valid here. Creates nothing and remembers nothing:
 * its ledger is thrown away.
 */
export function remoteValidate(options: RemoteValidateOptions, dependencies: Dependencies): Promise<RunReport> {
  return closeAfterReport(async (keep) => {
    const { target, pace, allowEmpty, maxErrors, showValues, out } = options;
    const settings = await withStandardInput(options.job, dependencies.temporaryFolder, dependencies);
    const job = await openJob(settings, dependencies);
    keep(job.input);
    await requireReportFolder(out, job);
    requireKey(job);
    const connection = keep(await connect(target, job.operation, { dependencies, pace, remoteValidation: true }));
    const host = hostOf(target);
    const ledger = keep(await openTemporaryLedger(dependencies.temporaryFolder));
    const about = { ...options, job: settings, revise: false, dryRun: false };
    const run = await ledger.startRun(await describeRun(about, { job, host, clock: dependencies.clock }));
    const shownValues = showValues ? createShownValues() : undefined;
    const { drain: signal, onCheck: onProgress } = dependencies;
    const handle = { ledger, run: run.id, target: host };
    const end = await check(job, handle, { revise: false, allowEmpty, maxErrors, signal, onProgress, shownValues });
    const sending = { connection, pace, dependencies, shownValues, remoteValidation: true };
    const sent = end.reason === "done" ? await send(job, handle, sending) : undefined;
    return endRun({ ledger, run, job, end, sent, shownValues }, { out, showValues, flags: REPEAT_FLAGS }, dependencies);
  });
}

/** What makes the next command such a run again. */
const REPEAT_FLAGS = ["--remote-validate"];
