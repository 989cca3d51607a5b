import type { Dependencies } from "../job/dependencies.ts";
import { instanceOf } from "../job/endpoint.ts";
import type { Job } from "../job/job.ts";
import { describeRun } from "../job/recorded-settings.ts";
import { requireOngoing, type Supplier } from "../job/supplier-settings.ts";
import { connect, hostOf, type RateLimitSettings, type TargetSettings } from "../job/target-connection.ts";
import { migrate } from "../migrate.ts";
import { Failure } from "../model/failure.ts";
import type { RunReport } from "../pipeline/run-report.ts";
import { type RunOptions, withNewRun } from "../pipeline/with-run.ts";

export interface PushOptions extends RunOptions {
  readonly target: TargetSettings;
  readonly supplier: Supplier;
  readonly pace: RateLimitSettings;
  /** Locator of the ledger: the path of its file. */
  readonly ledger: string;
  readonly dryRun: boolean;
  readonly revise: boolean;
  /** A new key may be almost the key of a record that was sent before. */
  readonly newKeys?: boolean | undefined;
  /** Send also what is invalid here, where it can be: the platform decides. */
  readonly sendInvalid?: boolean | undefined;
  /** The name of a step of the workflow: what is done with it is left `pending` there. */
  readonly until?: string | undefined;
  /** Send to a production target without asking. */
  readonly yes: boolean;
}

/** Validates the whole input, then uploads what is valid; what was accepted before is passed over. */
export async function push(options: PushOptions, dependencies: Dependencies): Promise<RunReport> {
  const { dryRun, ledger, pace, until } = options;
  if (!dryRun) requireOngoing(options.supplier);
  const [host, instance] = [hostOf(options.target), instanceOf(options.target.baseUrl)];
  return withNewRun({ options, ledger, target: { host, instance } }, dependencies, async (job, closeLater) => {
    requireStep(job.operation, until);
    const connection = dryRun
      ? undefined
      : closeLater(await connect(options.target, job.operation, { dependencies, pace }));
    if (!dryRun) await confirmRisks(options, host, dependencies);
    return {
      newRun: await describeRun(options, { job, host, clock: dependencies.clock }),
      work: (run) => migrate(run, options, connection && { connection, pace, until }),
    };
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

async function confirmRisks(
  { target, sendInvalid, yes }: PushOptions,
  host: string,
  { ask }: Dependencies,
): Promise<void> {
  if (yes) return;
  const isConfirmed = async (risk: string): Promise<boolean> =>
    (await ask(`${risk}. Type the host to go on (${host}): `))?.trim() === host;
  const hint = "type the host when asked, or pass --yes";
  if (target.production && !(await isConfirmed("This sends to production"))) {
    throw new Failure("wrong_target", `${host} is a production target, and nobody confirmed it`, { hint });
  }
  if (sendInvalid === true && !(await isConfirmed("This sends also what is invalid here"))) {
    throw new Failure("usage", "--send-invalid sends what is invalid here, and nobody confirmed it", { hint });
  }
}

export interface RemoteValidateOptions extends RunOptions {
  readonly target: TargetSettings;
  readonly pace: RateLimitSettings;
}

/**
 * Validates the whole input, then has the platform validate what is valid here. Creates nothing and remembers nothing:
 * its ledger is a temporary one.
 */
export async function remoteValidate(options: RemoteValidateOptions, dependencies: Dependencies): Promise<RunReport> {
  const { target, pace, allowEmpty, maxErrors } = options;
  const host = hostOf(target);
  // What makes the next command such a run again.
  const flags = ["--remote-validate"];
  return withNewRun(
    { options, target: { host, instance: instanceOf(target.baseUrl) }, flags },
    dependencies,
    async (job, closeLater) => {
      const remoteValidation = true;
      const connection = closeLater(await connect(target, job.operation, { dependencies, pace, remoteValidation }));
      const about = { ...options, revise: false, dryRun: false };
      return {
        newRun: await describeRun(about, { job, host, clock: dependencies.clock }),
        work: (run) => migrate(run, { allowEmpty, maxErrors, revise: false }, { connection, pace, remoteValidation }),
      };
    },
  );
}
