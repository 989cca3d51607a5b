import type { Dependencies } from "../../job/dependencies.ts";
import type { Job } from "../../job/job.ts";
import type { RunSettings } from "../../job/settings/recorded-settings.ts";
import { connectToRead, quietPeriodMs } from "../../job/target-connection.ts";
import { MAX_RECORD } from "../../ledger/ledger.ts";
import type { AmbiguousItem, Decision } from "../../ledger/records/requests.ts";
import { Failure, FAILURES } from "../../model/failure.ts";
import { reconcilePolicy } from "../../pipeline/plan/plan-records.ts";
import { endRun, type RunReport } from "../../pipeline/run/run-report.ts";
import { waitForQuiet } from "../../pipeline/send/quiet-period.ts";
import { type RecordedRun, type RecordedRunOptions, withRecordedRun } from "../../pipeline/run/with-run.ts";
import { openJobIfUnchanged, openRecordedJob, type ReopenOptions } from "../../pipeline/run/recorded-job.ts";
import { reconcileRun } from "../../reconcile/reconcile-run.ts";
import { counted, formatCount } from "../../text/count.ts";
import { timestamp } from "../../time/clock.ts";

export interface ReconcileOptions extends RecordedRunOptions {
  /** Business keys of records that have arrived on the platform, according to the user. */
  readonly accept: readonly string[];
  /** Business keys of records that the platform does not have and that must be sent again. */
  readonly resend: readonly string[];
  /**
   * The number of ambiguous records without a known request, for example after a repair, and of accepted records that
   * the last comparison did not find. By giving this number, the user confirms that all these records may be sent.
   */
  readonly resendAll?: number | undefined;
  /** Whether to accept the records that the platform has, even if only their keys can be compared. */
  readonly acceptFound?: boolean | undefined;
  /** The person who runs the command: `MIGRATE_OPERATOR`, or `user@host`. */
  readonly who: string;
  /** Time without a request, in milliseconds, before the platform is queried; default: the target's quiet period. */
  readonly quietMs?: number | undefined;
}

/**
 * Resolves the ambiguous and existing records of a run. Applies the decisions of the user or, if there are none, looks
 * up the records on the platform. Sends no records.
 */
export function reconcile(options: ReconcileOptions, dependencies: Dependencies): Promise<RunReport> {
  const isDecided = options.accept.length + options.resend.length > 0 || options.resendAll !== undefined;
  const openJobOf = isDecided ? openJobIfUnchanged : openJobToReadBack;
  return withRecordedRun<Job | undefined>({ command: "reconcile", options }, dependencies, async (recorded) => {
    const { ledger, run, settings } = recorded;
    const job = await openJobOf(settings, { stored: ledger, dependencies, run: run.id });
    return {
      job,
      work: async (open) => {
        const msSinceAbandoned = await ledger.refresh(run.id, reconcilePolicy(job, settings));
        const context = { ...recorded, dependencies };
        if (options.resendAll !== undefined) await resendAll(options.resendAll, job, context, options);
        else if (isDecided) await applyOperatorDecisions(options, job, context);
        const willAsk = job !== undefined && !isDecided;
        const failure = willAsk ? await readBack(options, job, context, msSinceAbandoned) : undefined;
        const sent = failure && ({ reason: "stopped", failure, counts: {}, unsaved: [] } as const);
        return endRun(open, { sent });
      },
    };
  });
}

/**
 * Opens the job of a run whose records are looked up.
 * @throws Failure `source_changed` if the input has changed, because the content of the records is then unknown
 */
async function openJobToReadBack(
  settings: RunSettings,
  { run, ...options }: ReopenOptions & { readonly run: string },
): Promise<Job> {
  try {
    return await openRecordedJob(settings, options);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "source_changed") throw error;
    throw new Failure(error.code, error.message, {
      hint:
        "restore the original files at these paths, or push the current files and reconcile that push. If the content " +
        `of a record has changed, look it up yourself, then use \`migrate reconcile ${run} --accept <key>\` or ` +
        "`--resend <key>`",
      cause: error,
    });
  }
}

interface ReconcileContext extends RecordedRun {
  readonly dependencies: Dependencies;
}

/**
 * Applies the decisions of the user. Records with the status `existing` can also be accepted, but they cannot be sent
 * again.
 * @throws Failure `usage`, without any change, if a key belongs to no record to which the decision can be applied, or
 * if the last request for a record to accept had different content and was sent by another run. In that case, the user
 * may have compared the content of either run with the platform
 */
async function applyOperatorDecisions(
  { accept, resend, who }: ReconcileOptions,
  job: Job | undefined,
  { ledger, run: { id }, settings, dependencies }: ReconcileContext,
): Promise<void> {
  const both = new Set(accept.filter((key) => resend.includes(key)));
  const accepted = [
    ...(await ledger.undecidedByKey(id, "ambiguous", [...new Set(accept)])),
    ...(await ledger.undecidedByKey(id, "existing", [...new Set(accept)])),
  ];
  const resent = [
    ...(await ledger.undecidedByKey(id, "ambiguous", [...new Set(resend)])),
    ...(await ledger.undecidedByKey(id, "lost", [...new Set(resend)])),
  ];
  const unknown = new Set([...accept, ...resend]).size - accepted.length - resent.length;
  if (both.size > 0 || unknown !== 0) throw notAmbiguous(both.size > 0, id);
  requireRecentComparison(resent, dependencies);
  const sender = accepted.find(({ sentBy }) => sentBy !== undefined)?.sentBy;
  if (sender !== undefined) throw sentByOther(sender, id);
  const at = timestamp(dependencies.clock);
  const decide = (items: readonly AmbiguousItem[], decision: Decision["decision"], option: string): Decision[] =>
    items.map(({ record, identity }) => {
      return { record, identity, decision, by: "operator", who, at, reason: `decided with ${option}` };
    });
  const decisions = [...decide(accepted, "accepted", "--accept"), ...decide(resent, "resend", "--resend")];
  await ledger.saveDecisions(id, decisions, reconcilePolicy(job, settings));
}

/**
 * Sets to `pending` the records that became ambiguous without a known request, and the accepted records that the last
 * comparison did not find.
 * @throws Failure `usage`, without any change, unless `confirmed` equals the number of these records
 */
async function resendAll(
  confirmed: number,
  job: Job | undefined,
  { ledger, run: { id }, settings, dependencies }: ReconcileContext,
  { who }: ReconcileOptions,
): Promise<void> {
  const withoutRequest = (await ledger.ambiguous(id, 1, MAX_RECORD)).filter(({ attempts }) => attempts === 0);
  const lost = await ledger.lost(id, 1, MAX_RECORD);
  const items = [...withoutRequest, ...lost];
  if (items.length !== confirmed) throw otherNumber(confirmed, { withoutRequest, lost }, id);
  requireRecentComparison(lost, dependencies);
  const at = timestamp(dependencies.clock);
  const resend = { decision: "resend", by: "operator", who, at, reason: "decided with --resend-all" } as const;
  const decisions = items.map(({ record, identity }): Decision => ({ ...resend, record, identity }));
  await ledger.saveDecisions(id, decisions, reconcilePolicy(job, settings));
}

const MAX_COMPARISON_AGE_HOURS = 24;

/**
 * Checks that lost records have been compared recently. Another person may have restored the records since an older
 * comparison, and sending them again would then create duplicates.
 * @throws Failure `usage`
 */
function requireRecentComparison(items: readonly AmbiguousItem[], { clock }: Pick<Dependencies, "clock">): void {
  const oldest = items.flatMap(({ comparedAt }) => comparedAt ?? []).toSorted()[0];
  if (oldest === undefined || clock.now() - Date.parse(oldest) <= MAX_COMPARISON_AGE_HOURS * 3_600_000) return;
  const what = `\`migrate compare\` did not find these records on ${oldest.slice(0, 10)}`;
  throw new Failure("usage", `${what}, more than ${MAX_COMPARISON_AGE_HOURS} hours ago; no record was changed`, {
    hint: "the platform may have these records again: repeat `migrate compare` (without --unverified)",
  });
}

function otherNumber(
  confirmed: number,
  { withoutRequest, lost }: Readonly<Record<"withoutRequest" | "lost", readonly AmbiguousItem[]>>,
  run: string,
): Failure {
  const records =
    `${counted(withoutRequest.length, "record")} of run ${run} became ambiguous without a known request, and ` +
    `\`migrate compare\` found ${formatCount(lost.length)} absent`;
  const found = withoutRequest.length + lost.length;
  return new Failure("usage", `--resend-all ${confirmed}: ${records}; no record was changed`, {
    hint:
      found === 0
        ? "resolve the other ambiguous records with `migrate reconcile`, or with --accept and --resend"
        : `check that the platform has none of these records, then run the command with --resend-all ${found}`,
  });
}

function notAmbiguous(isBoth: boolean, run: string): Failure {
  const what = isBoth
    ? "a key is passed to both --accept and --resend"
    : "each key must belong to one ambiguous record; --accept also allows one existing record, and --resend one record " +
      "that `migrate compare` found absent";
  return new Failure("usage", `run ${run}: ${what}; no record was changed`, {
    hint: `list the ambiguous and existing records with \`migrate report ${run} --format ndjson\``,
  });
}

function sentByOther(sender: string, run: string): Failure {
  const what = "the last request for a record that is passed to --accept had different content";
  return new Failure("usage", `run ${run}: ${what}, and was sent by run ${sender}; no record was changed`, {
    hint:
      `compare the content of run ${sender} with the platform, then decide with ` +
      `\`migrate reconcile ${sender} --accept <key>\` or \`migrate reconcile ${sender} --resend <key>\``,
  });
}

/** Looks up the ambiguous and existing records. Returns the failure that stopped the lookup, if any. */
async function readBack(
  { who, quietMs, acceptFound }: ReconcileOptions,
  job: Job,
  { ledger, run, settings, closeLater, dependencies }: ReconcileContext,
  msSinceAbandoned: number | undefined,
): Promise<Failure | undefined> {
  const { counts } = await ledger.summary(run.id);
  const ambiguous = counts.ambiguous ?? 0;
  if (ambiguous + (counts.existing ?? 0) === 0) return undefined;
  if (job.operation.readBack.length === 0) {
    if (ambiguous > 0) return nothingToAsk(job);
    dependencies.notice(
      `the contract does not say how to read a record of "${job.operation.id}" back: declare \`x-migrate-read-back\` ` +
        "(docs/contract.md) and push again, or look up the records yourself and accept them with " +
        "`migrate reconcile --accept <key>`",
    );
    return undefined;
  }
  const { client } = closeLater(await connectToRead(settings.target, "account-holder", dependencies));
  const quiet = quietMs ?? quietPeriodMs(settings.target);
  await waitForQuiet(quiet, msSinceAbandoned, { ...dependencies, setting: "--quiet-period" });
  const policy = reconcilePolicy(job, settings);
  try {
    const deciding = { job, handle: { ledger, run }, who, acceptsKeyOnly: acceptFound, dependencies };
    await reconcileRun({ ...deciding, client, policy, readBackIntervalMs: quiet });
    if (!dependencies.drain.aborted) return undefined;
    return new Failure("incomplete", "stopped before all ambiguous records were looked up", {
      hint: "run the same command again",
    });
  } catch (error) {
    if (error instanceof Failure && error.exitCode !== FAILURES.storage) return error;
    throw error;
  }
}

function nothingToAsk({ operation }: Job): Failure {
  return new Failure(
    "nothing_to_ask",
    `the contract does not say how to find out whether a record of "${operation.id}" arrived`,
    {
      hint:
        "declare `x-migrate-read-back` (docs/contract.md) and push again, or look up the records yourself and resolve " +
        "them with `migrate reconcile --accept <key>` or `--resend <key>`",
    },
  );
}
