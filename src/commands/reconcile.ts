import type { Decision, AmbiguousItem } from "../ledger/ledger.ts";
import { openLedgerStore } from "../ledger/open-ledger-store.ts";
import { Failure } from "../model/failure.ts";
import { hostOf, longestRequestMs } from "../job/target-connection.ts";
import type { Job } from "../job/job.ts";
import { openJob } from "../job/job.ts";
import { reopenJob } from "../pipeline/with-run.ts";
import { closeAfterReport, type CloseLater } from "../pipeline/with-run.ts";
import type { Dependencies } from "../job/dependencies.ts";
import { reconcilePolicy, type RunHandle } from "../pipeline/plan-records.ts";
import { connectToRead } from "../job/target-connection.ts";
import { reconcileRun } from "../reconcile/reconcile-run.ts";
import { finishOnFailure, requireRun } from "../pipeline/run-ledger.ts";
import type { RunReport } from "../pipeline/run-report.ts";
import { endRun, requireReportFolder } from "../pipeline/run-report.ts";
import { requireUnchangedFiles, type RunSettings, settingsOf } from "../job/recorded-settings.ts";

export interface ReconcileOptions {
  readonly ledger: string;
  /** Id of the run, or its beginning; none: the latest. */
  readonly run?: string | undefined;
  /** Report folder; none: where the run's report was to lie. */
  readonly out?: string | undefined;
  /** Business keys of records that somebody knows to have arrived. */
  readonly accept: readonly string[];
  /** Of those that have not, and are to be sent again. */
  readonly resend: readonly string[];
  /** The account name of whoever runs the command. */
  readonly who: string;
  /** Milliseconds without a request before the platform is asked; default: twice the longest that a request can take. */
  readonly quietMs?: number | undefined;
  readonly showValues: boolean;
}

/**
 * Settles the records of a run that may have been processed: by reading back what the platform has, or, where keys are
 * given, as somebody has decided. Sends nothing.
 */
export function reconcile(options: ReconcileOptions, dependencies: Dependencies): Promise<RunReport> {
  return closeAfterReport(async (keep) => {
    const store = await openLedgerStore(options.ledger);
    const ledger = keep(await store.write("reconcile", { create: false }));
    const run = await requireRun(ledger, options.run);
    const settings = settingsOf(run);
    const isDecided = options.accept.length + options.resend.length > 0;
    if (!isDecided) await requireUnchangedFiles(settings);
    const job = isDecided ? await reopenJob(settings, dependencies) : await openJob(settings.job, dependencies);
    if (job !== undefined) keep(job.input);
    const out = options.out ?? settings.out;
    if (job !== undefined) await requireReportFolder(out, job);
    const handle = { ledger, run: run.id, target: hostOf(settings.target) };
    return finishOnFailure(handle, async () => {
      const scene: OpenRun = { handle, settings, keep, dependencies };
      const lastSentAt = await ledger.refresh(run.id, reconcilePolicy(job, settings.revise));
      if (isDecided) await applyOperatorDecisions(options, job, scene);
      const failure =
        isDecided || job === undefined ? undefined : await readBack(options, job, { ...scene, lastSentAt });
      const sent = failure && ({ reason: "stopped", failure, counts: {}, unsaved: [] } as const);
      return endRun({ ledger, run, job, sent }, { ...options, store, out }, dependencies);
    });
  });
}

interface OpenRun {
  readonly handle: RunHandle;
  readonly settings: RunSettings;
  readonly keep: CloseLater;
  readonly dependencies: Dependencies;
}

/** @throws Failure `usage`, with nothing changed, unless every key is that of a record in doubt */
async function applyOperatorDecisions(
  { accept, resend, who }: ReconcileOptions,
  job: Job | undefined,
  { handle, settings, dependencies }: OpenRun,
): Promise<void> {
  const { ledger, run } = handle;
  const both = new Set(accept.filter((key) => resend.includes(key)));
  const accepted = await ledger.ambiguousByKey(run, [...new Set(accept)]);
  const resent = await ledger.ambiguousByKey(run, [...new Set(resend)]);
  const unknown = new Set([...accept, ...resend]).size - accepted.length - resent.length;
  if (both.size > 0 || unknown !== 0) throw notAmbiguous(both.size > 0, run);
  const at = new Date(dependencies.clock.now()).toISOString();
  const made = (decision: "accepted" | "resend") => {
    return ({ record, identity }: AmbiguousItem): Decision => {
      return { record, identity, decision, by: "operator", who, at, reason: `decided with ${OPTION[decision]}` };
    };
  };
  const decisions = [...accepted.map(made("accepted")), ...resent.map(made("resend"))];
  await ledger.saveDecisions(run, decisions, reconcilePolicy(job, settings.revise));
}

const OPTION = { accepted: "--accept", resend: "--resend" } as const;

function notAmbiguous(isBoth: boolean, run: string): Failure {
  const what = isBoth ? "a key is given both to accept and to resend" : `not every key is that of a record in doubt`;
  return new Failure("usage", `${what} in run ${run}; nothing was decided`, {
    hint: `see which records are ambiguous with \`migrate report ${run} --format ndjson\``,
  });
}

/** Gives what kept it from asking on. */
async function readBack(
  { who, quietMs }: ReconcileOptions,
  job: Job,
  { handle, settings, keep, dependencies, lastSentAt }: OpenRun & { readonly lastSentAt: string | undefined },
): Promise<Failure | undefined> {
  const { counts } = await handle.ledger.summary(handle.run);
  if ((counts.ambiguous ?? 0) === 0) return undefined;
  if (job.operation.readBack.length === 0) return nothingToAsk(job);
  const { client } = keep(await connectToRead(settings.target, "account-holder", dependencies));
  const quiet = quietMs ?? 2 * longestRequestMs(settings.target);
  await waitForQuiet(quiet, lastSentAt, dependencies);
  const policy = reconcilePolicy(job, settings.revise);
  try {
    await reconcileRun({ job, handle, client, policy, who, dependencies, readBackIntervalMs: quiet });
    return dependencies.drain.aborted ? stopped() : undefined;
  } catch (error) {
    if (error instanceof Failure && error.exitCode !== 6) return error;
    throw error;
  }
}

/** A request that was given up may still be on its way, or be processed. */
async function waitForQuiet(
  quietMs: number,
  lastSentAt: string | undefined,
  { clock, drain, notice }: Dependencies,
): Promise<void> {
  if (lastSentAt === undefined) return;
  const left = Math.min(quietMs, Date.parse(lastSentAt) + quietMs - clock.now());
  if (left <= 0) return;
  notice(`Waiting ${(left / 1000).toFixed(0)} s: requests that were given up may still be processed (--quiet-period)`);
  await clock.sleep(left, drain);
}

function nothingToAsk({ operation }: Job): Failure {
  return new Failure(
    "nothing_to_ask",
    `the contract names nothing that tells whether a record of "${operation.id}" arrived`,
    {
      hint:
        "name it with `x-migrate-read-back` (docs/contract.md), or look the records up yourself and " +
        "settle them with `migrate reconcile --accept <key>` or `--resend <key>`",
    },
  );
}

function stopped(): Failure {
  return new Failure("incomplete", "stopped before every record in doubt was looked for", {
    hint: "run the same command again",
  });
}
