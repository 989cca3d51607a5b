import path from "node:path";
import type { Run } from "../../ledger/records/run.ts";
import { canResolveAmbiguous, type Operation } from "../../contract/operations/operation.ts";
import { FAILURES } from "../../model/failure.ts";
import type { Outcome, Status, Summary } from "../../model/outcome.ts";
import type { JobSettings } from "../../job/settings/job-settings.ts";
import type { Counts } from "../../job/run-progress.ts";
import { pathsFrom } from "../../job/contract-files.ts";
import { settingsOf } from "../../job/settings/recorded-settings.ts";
import { ledgerFlag } from "../../ledger/open-ledger-store.ts";
import { counted } from "../../text/count.ts";
import { shellCommand } from "../../text/shell-command.ts";
import { TOO_MANY_ERRORS } from "./run-state.ts";

/**
 * A file with rows that need work, and the name of its source in the mapping. The name is undefined if there is only
 * one source.
 */
export interface RejectedSource {
  readonly source: string | undefined;
  readonly path: string;
}

/** The facts about an ended or stopped run that determine the next command. */
export interface RunRemainder {
  readonly run: Run;
  readonly settings: JobSettings | undefined;
  readonly summary: Summary;
  readonly rejects: readonly RejectedSource[];
  readonly ledger: string | undefined;
  /** Arguments of the next command in addition to the flags of the job. */
  readonly flags: readonly string[];
  /** Whether a resumed run may settle some of the ambiguous records (`mayResumeSettle`). */
  readonly settlesAmbiguous: boolean;
  /** Whether the contract says how to look up ambiguous records (`x-migrate-read-back`). */
  readonly readsBack: boolean;
  /** The run to reconcile, if it is not this run (`otherRunToReconcile`). */
  readonly otherRun?: string | undefined;
  /** Whether existing records can be read back from the platform and compared. */
  readonly comparesContent: boolean;
  /** True if the ledger file was removed or replaced, and must be repaired before the run can continue. */
  readonly isLedgerLost?: boolean | undefined;
}

/**
 * Whether a resumed run may settle an ambiguous record. A resumed run sends such a record again if the platform cannot
 * create two records for one business key. If the platform has already reported a problem with the record, sending it
 * again would have the same result, so the record stays ambiguous until it is reconciled.
 */
export function mayResumeSettle(
  { status, problems }: Outcome,
  operation: Pick<Operation, "steps" | "dedupesByKey">,
): boolean {
  const isRefused = problems.some(({ by }) => by === "platform");
  return status === "ambiguous" && canResolveAmbiguous(operation) && !isRefused;
}

/** Whether resuming the run settled no records. Resuming the run again would probably have the same result. */
export function hasSettledNothing(before: Counts, after: Counts): boolean {
  const open: readonly Status[] = ["pending", "blocked", "ambiguous"];
  return open.every((status) => (before[status] ?? 0) === (after[status] ?? 0));
}

/**
 * Returns the next command for the user; undefined if there is nothing left to do, or if something must be corrected
 * first.
 */
export function nextCommand(left: RunRemainder): string | undefined {
  const { run, settings, rejects, ledger } = left;
  if (run.command === "push" && mustBeCorrected(left)) return undefined;
  const inLedger = ledgerFlag(ledger);
  if (left.isLedgerLost === true) return shellCommand(["migrate", "ledger", "repair", ...inLedger]);
  if (isUnfinished(left)) {
    return shellCommand(["migrate", "resume", run.id, ...inLedger]);
  }
  if (hasRecordsToReadBack(left)) {
    return shellCommand(["migrate", "reconcile", left.otherRun ?? run.id, ...inLedger]);
  }
  if (rejects.length === 0 || settings === undefined) return undefined;
  if (run.command !== "documents check") return reimportRejects(left, settings);
  const sources = rejects.flatMap(({ source, path: file }) =>
    source === undefined ? [file] : ["--source", `${source}=${file}`],
  );
  return shellCommand(["migrate", "documents", "check", ...sources, ...jobFlags(settings), ...left.flags]);
}

/**
 * Whether a resumed push would end in the same way: the push ended while reading because of `--max-errors`, or because
 * of invalid usage or input before the platform accepted a record. Other statuses may come from earlier runs.
 */
function mustBeCorrected({ run, summary: { counts, exitCode } }: RunRemainder): boolean {
  if (exitCode === FAILURES.usage) return run.state === "planning" || (counts.accepted ?? 0) === 0;
  return run.state === "planning" && exitCode === TOO_MANY_ERRORS;
}

/**
 * Returns the command that re-imports the rejects. The command omits settings that are recorded with the report and the
 * run.
 */
function reimportRejects({ run, rejects, ledger, flags }: RunRemainder, { config, folder }: JobSettings): string {
  const folders = new Set(rejects.map(({ path: file }) => path.dirname(file)));
  const target = run.command === "push" && ledger === undefined ? settingsOf(run).target.flags : [];
  const given = [...folders].flatMap((name) => ["--rejects", name]);
  // The run may have started in another folder.
  const configured = flag("--config", config === undefined ? undefined : pathsFrom(folder)(config));
  const words = ["migrate", run.command, ...given, ...configured, ...target, ...ledgerFlag(ledger)];
  return shellCommand([...words, ...flags]);
}

/** Whether `resume` continues the run: the run was stopped while reading, or has records left to send. */
function isUnfinished({ run, summary, ledger, settlesAmbiguous }: RunRemainder): boolean {
  const hasReachedUntil = ledger === undefined || settingsOf(run).until !== undefined;
  if (run.command !== "push" || run.dryRun || hasReachedUntil) return false;
  const toSend: readonly Status[] = settlesAmbiguous ? ["pending", "blocked", "ambiguous"] : ["pending", "blocked"];
  return (
    toSend.some((status) => (summary.counts[status] ?? 0) > 0) ||
    (run.state === "planning" && summary.exitCode === STOPPED_EXIT_CODE)
  );
}

const STOPPED_EXIT_CODE = 3;

function hasRecordsToReadBack({ run, summary, readsBack, comparesContent }: RunRemainder): boolean {
  const { ambiguous = 0, existing = 0 } = summary.counts;
  const records = (readsBack ? ambiguous : 0) + (comparesContent ? existing : 0);
  return run.command === "push" && !run.dryRun && records > 0;
}

/**
 * Explains how to resolve the ambiguous records of a push if neither `resume` nor `reconcile` can resolve them;
 * undefined for other runs.
 */
export function manualDecisions({ run, summary, readsBack, settlesAmbiguous }: RunRemainder): string | undefined {
  const { ambiguous = 0 } = summary.counts;
  if (run.command !== "push" || run.dryRun || ambiguous === 0 || readsBack || settlesAmbiguous) return undefined;
  return (
    `the contract does not say how to look up ${counted(ambiguous, "ambiguous record")}: look up the keys on the ` +
    `platform yourself, then run \`migrate reconcile ${run.id} --accept <key>\` or \`--resend <key>\``
  );
}

function jobFlags(job: JobSettings): readonly string[] {
  return [
    ...flag("--config", job.config),
    ...job.contract.flatMap((file) => ["--contract", file]),
    ...flag("--operation", job.operation),
    ...flag("--mapping", job.mapping),
    ...flag("--supplier", job.supplier),
    ...flag("--delimiter", job.delimiter),
    ...flag("--encoding", job.encoding),
  ];
}

function flag(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [name, value];
}
