import type { Decision, DoubtfulItem } from "../ledger/ledger.ts";
import { Failure } from "../model/failure.ts";
import { hostOf, longestRequestMs } from "../run/connection.ts";
import type { Job } from "../run/job.ts";
import { openJob } from "../run/job.ts";
import { jobAsItWas } from "../run/job-as-it-was.ts";
import { closedWithReport, type Keep } from "../run/closed-with-report.ts";
import type { Parts } from "../run/parts.ts";
import { doubtPolicy, type RunBook } from "../run/plan-records.ts";
import { connectToRead } from "../run/read-connection.ts";
import { reconcileRun } from "../run/reconcile-run.ts";
import { openRunLedger, recordedRun, requireRun } from "../run/run-ledger.ts";
import type { RunReport } from "../run/run-report.ts";
import { endRun, requireReportFolder } from "../run/run-report.ts";
import { refuseChanges, type RunSettings, settingsOf } from "../run/run-settings.ts";

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
export function reconcile(options: ReconcileOptions, parts: Parts): Promise<RunReport> {
  return closedWithReport(async (keep) => {
    const { ledger } = keep(await openRunLedger(options.ledger, "reconcile"));
    const run = await requireRun(ledger, options.run);
    const settings = settingsOf(run);
    const isDecided = options.accept.length + options.resend.length > 0;
    if (!isDecided) await refuseChanges(settings);
    const job = isDecided ? await jobAsItWas(settings, parts) : await openJob(settings.job, parts);
    if (job !== undefined) keep(job.input);
    const out = options.out ?? settings.out;
    if (job !== undefined) await requireReportFolder(out, job);
    const book = { ledger, run: run.id, target: hostOf(settings.target) };
    return recordedRun(book, async () => {
      const scene: Scene = { book, settings, keep, parts };
      const lastSentAt = await ledger.takeStock(run.id, doubtPolicy(job, settings.revise));
      if (isDecided) await decideByHand(options, job, scene);
      const failure =
        isDecided || job === undefined ? undefined : await readBack(options, job, { ...scene, lastSentAt });
      const sent = failure && ({ reason: "stopped", failure, counts: {}, unsaved: [] } as const);
      return endRun({ ledger, run, job, sent }, { ...options, out }, parts);
    });
  });
}

interface Scene {
  readonly book: RunBook;
  readonly settings: RunSettings;
  readonly keep: Keep;
  readonly parts: Parts;
}

/** @throws Failure `usage`, with nothing changed, unless every key is that of a record in doubt */
async function decideByHand(
  { accept, resend, who }: ReconcileOptions,
  job: Job | undefined,
  { book, settings, parts }: Scene,
): Promise<void> {
  const { ledger, run } = book;
  const both = new Set(accept.filter((key) => resend.includes(key)));
  const accepted = await ledger.inDoubtByKey(run, [...new Set(accept)]);
  const resent = await ledger.inDoubtByKey(run, [...new Set(resend)]);
  const unknown = new Set([...accept, ...resend]).size - accepted.length - resent.length;
  if (both.size > 0 || unknown !== 0) throw undecidable(both.size > 0, run);
  const at = new Date(parts.clock.now()).toISOString();
  const made = (decision: "accepted" | "resend") => {
    return ({ record, identity }: DoubtfulItem): Decision => {
      return { record, identity, decision, by: "operator", who, at, reason: `decided with ${OPTION[decision]}` };
    };
  };
  const decisions = [...accepted.map(made("accepted")), ...resent.map(made("resend"))];
  await ledger.decide(run, decisions, doubtPolicy(job, settings.revise));
}

const OPTION = { accepted: "--accept", resend: "--resend" } as const;

function undecidable(isBoth: boolean, run: string): Failure {
  const what = isBoth ? "a key is given both to accept and to resend" : `not every key is that of a record in doubt`;
  return new Failure("usage", `${what} in run ${run}; nothing was decided`, {
    hint: `see which records are ambiguous with \`migrate report ${run} --format ndjson\``,
  });
}

/** Gives what kept it from asking on. */
async function readBack(
  { who, quietMs }: ReconcileOptions,
  job: Job,
  { book, settings, keep, parts, lastSentAt }: Scene & { readonly lastSentAt: string | undefined },
): Promise<Failure | undefined> {
  const { counts } = await book.ledger.summary(book.run);
  if ((counts.ambiguous ?? 0) === 0) return undefined;
  if (job.operation.readBack.length === 0) return nothingToAsk(job);
  const { client } = keep(await connectToRead(settings.target, "account-holder", parts));
  const quiet = quietMs ?? 2 * longestRequestMs(settings.target);
  await waitForQuiet(quiet, lastSentAt, parts);
  const policy = doubtPolicy(job, settings.revise);
  try {
    await reconcileRun({ job, book, client, policy, who, parts, betweenLooksMs: quiet });
    return parts.drain.aborted ? stopped() : undefined;
  } catch (error) {
    if (error instanceof Failure && error.exitCode !== 6) return error;
    throw error;
  }
}

/** A request that was given up may still be on its way, or be processed. */
async function waitForQuiet(
  quietMs: number,
  lastSentAt: string | undefined,
  { clock, drain, notice }: Parts,
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
