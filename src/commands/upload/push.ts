import type { Dependencies } from "../../job/dependencies.ts";
import { instanceOf } from "../../job/endpoint.ts";
import type { Job } from "../../job/job.ts";
import { describeRun, type WorkerSettings } from "../../job/settings/recorded-settings.ts";
import { requireOngoing, type Supplier } from "../../job/settings/supplier-settings.ts";
import type { Counts } from "../../job/run-progress.ts";
import { checkTarget, connect, hostOf } from "../../job/target-connection.ts";
import { requireSharedLedger } from "../../ledger/open-ledger-store.ts";
import { migrate } from "../../migrate.ts";
import { Failure } from "../../model/failure.ts";
import { confirmSending, requirePrompt } from "../../pipeline/send/confirm-sending.ts";
import type { RunReport } from "../../pipeline/run/run-report.ts";
import { openRunLedger, type RunOptions, withNewRun } from "../../pipeline/run/with-run.ts";
import type { RateLimitSettings, TargetSettings } from "../../job/settings/platform-settings.ts";

export interface PushOptions extends RunOptions {
  readonly target: TargetSettings;
  readonly supplier: Supplier;
  readonly pace: RateLimitSettings;
  /** Settings of the worker processes that send the planned records. They require a ledger in PostgreSQL. */
  readonly workers?: WorkerSettings | undefined;
  /** Locator of the ledger: the path of its file, or its URL. */
  readonly ledger: string;
  readonly dryRun: boolean;
  /** Whether to send to a production target, or send invalid records, without confirmation. */
  readonly yes: boolean;
  /**
   * Called with the counts of the planned records before the first request. If absent and a confirmation is required,
   * the command asks on the terminal.
   * @throws Failure if the records must not be sent
   */
  readonly confirm?: ((counts: Counts) => Promise<void>) | undefined;
  /** The person who runs the command. */
  readonly by?: string | undefined;
  /** Whether to omit the run from lists of runs. */
  readonly isUnlisted?: boolean | undefined;
}

/**
 * Validates the whole input, then uploads the valid records unless the run is a dry run. Skips records that were
 * accepted earlier.
 */
export async function push(
  options: PushOptions,
  dependencies: Dependencies,
  open: typeof openRunLedger = openRunLedger,
): Promise<RunReport> {
  const { dryRun, ledger, pace, until, workers, canary } = options;
  if (workers !== undefined) requireSharedLedger(ledger);
  if (workers !== undefined && canary !== undefined) {
    throw new Failure("usage", "--canary cannot be combined with --workers", {
      hint: "push a part with --canary and without workers first (for example with --limit), then push the rest with --workers",
    });
  }
  if (dryRun) await checkTarget(options.target);
  else requireOngoing(options.supplier);
  const [host, instance] = [hostOf(options.target), instanceOf(options.target.baseUrl)];
  const isShared = workers !== undefined && !dryRun;
  const about = { options, ledger, open, isShared, target: { host, instance } };
  return withNewRun(about, dependencies, async (job, closeLater) => {
    requireStep(job.operation, until);
    const connection = dryRun
      ? undefined
      : closeLater(await connect(options.target, job.operation, { dependencies, pace }));
    const isAsking = !dryRun && !options.yes && options.confirm === undefined;
    if (isAsking) requirePrompt(options, host, dependencies);
    return {
      newRun: await describeRun({ ...options, confirmed: options.yes }, { job, host, clock: dependencies.clock }),
      work: (run) => {
        const ask = (counts: Counts): Promise<void> => confirmSending(options, { run: run.run, counts }, dependencies);
        const confirm = isAsking ? ask : options.confirm;
        return migrate(run, options, connection && { connection, pace, until, workers, canary, confirm });
      },
    };
  });
}

/**
 * Checks that a run can stop after a step. A run cannot stop after the last step, which creates the records.
 * @throws Failure `usage` if there is no such step
 */
function requireStep({ steps, id }: Job["operation"], until: string | undefined): void {
  const names = steps.slice(0, -1).map(({ name }) => name);
  if (until === undefined || names.includes(until)) return;
  throw new Failure("usage", `--until ${until}: ${id} has no such step`, {
    hint:
      names.length === 0
        ? "omit --until, because its workflow is a single request"
        : `the workflow can stop after ${names.join(" or ")}`,
  });
}

export interface RemoteValidateOptions extends RunOptions {
  readonly target: TargetSettings;
  readonly pace: RateLimitSettings;
}

/**
 * Validates the whole input, then has the platform validate the records that are valid locally. Creates nothing on the
 * platform, and uses a temporary ledger.
 */
export async function remoteValidate(options: RemoteValidateOptions, dependencies: Dependencies): Promise<RunReport> {
  const { target, pace, allowEmpty, maxErrors, threads, newKeys } = options;
  const host = hostOf(target);
  // Flags that make a suggested command repeat this kind of run.
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
        work: (run) => {
          const checking = { allowEmpty, maxErrors, threads, newKeys, revise: false };
          // A validation creates no records on the platform, so no record waits for another record (`after`).
          const { after: _after, ...own } = run.job;
          return migrate({ ...run, job: own }, checking, { connection, pace, remoteValidation });
        },
      };
    },
  );
}
