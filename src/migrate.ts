import type { CheckProgress } from "./job/dependencies.ts";
import type { Job } from "./job/job.ts";
import type { Threads } from "./job/settings/recorded-settings.ts";
import type { Counts } from "./job/run-progress.ts";
import type { WorkerSettings } from "./job/settings/recorded-settings.ts";
import type { MappedRecord } from "./model/record.ts";
import { checkRecords, foundRecords, mapRecords, readRecords, selectRecords } from "./pipeline/plan/check-records.ts";
import {
  type CheckResult,
  itemSettings,
  type KeyPolicy,
  planItems,
  type PlanOptions,
  planRecords,
  type PlanHandle,
} from "./pipeline/plan/plan-records.ts";
import type { PlannedBatch } from "./pipeline/plan/plan-items.ts";
import { endRun, type ShownRun } from "./pipeline/run/run-report.ts";
import { keepPayloads, type KeptPayloads } from "./pipeline/send/kept-payloads.ts";
import { type SendOptions, sendRecords } from "./pipeline/send/send-records.ts";
import { checkChunksHere, checkInThreads } from "./pipeline/threads/check-in-threads.ts";
import { threadsFor } from "./pipeline/threads/thread-count.ts";
import { shareRun } from "./pipeline/shared/share-run.ts";
import type { OpenPlan, OpenRun } from "./pipeline/run/with-run.ts";
import type { ShownValues } from "./report/shown-values.ts";

/** What a run asks of its records. */
export type MigrateOptions = Omit<CheckOptions, "signal" | "onProgress" | "shownValues" | "kept">;

/** How a run sends; a run that only validates has none. */
export interface Sending extends Omit<SendOptions, "dependencies" | "shownValues" | "journal"> {
  /** Asked before the first request of a run that has something to send. @throws Failure when it is not to be sent */
  readonly confirm?: ((counts: Counts) => Promise<void>) | undefined;
  /** Other processes send what this one has planned. */
  readonly workers?: WorkerSettings | undefined;
}

/**
 * A whole migration, from the sources to the report:
 * read -> map -> validate -> plan (`check`), then send, then report. Without `sending` it is a dry run.
 * Memory is bounded whatever the input: records stream through in batches, and the ledger stands between the stages.
 */
export async function migrate(run: OpenRun, options: MigrateOptions, sending?: Sending): Promise<ShownRun> {
  const kept = sending === undefined || sending.workers !== undefined ? undefined : keepPayloads(run.job, options);
  const checked = await checkInput(run, { ...options, kept });
  return continueSending(run, checked.reason === "done" && sending ? { ...sending, kept } : undefined, checked);
}

/** The first half, and its report: a run that sends nothing. */
export async function validateInput(run: OpenPlan, options: MigrateOptions): Promise<ShownRun> {
  return endRun(run, { checked: await checkInput(run, options) });
}

function checkInput(run: OpenPlan, options: MigrateOptions & Pick<CheckOptions, "kept">): Promise<CheckResult> {
  const { job, shownValues, dependencies } = run;
  const { drain: signal } = dependencies;
  const onProgress = (checked: CheckProgress): void => dependencies.onProgress({ kind: "checked", ...checked });
  return check(job, run, { ...options, signal, onProgress, shownValues });
}

/** The second half, from the plan on: what is settled already is passed over. */
export async function continueSending(run: OpenRun, sending?: Sending, checked?: CheckResult): Promise<ShownRun> {
  const { job, shownValues, journal, dependencies } = run;
  if (sending !== undefined) await announce(run, sending);
  const { workers } = sending ?? {};
  const sent =
    workers === undefined
      ? sending && (await sendRecords(job, run, { ...sending, dependencies, shownValues, journal }))
      : await shareRun(run, { ...sending, workers });
  return endRun(run, { checked, sent });
}

/** Says what is about to be sent, and asks where that is wanted. */
async function announce({ ledger, run, dependencies }: OpenRun, { confirm }: Sending): Promise<void> {
  const { counts } = await ledger.summary(run.id);
  dependencies.onProgress({ kind: "planned", counts });
  if ((counts.pending ?? 0) > 0) await confirm?.(counts);
}

export interface CheckOptions extends PlanOptions, KeyPolicy {
  /** Takes note of offending values, when the user asked to see them. */
  readonly shownValues?: ShownValues | undefined;
  /** How many threads read, map and check; default: the one that calls. */
  readonly threads?: Threads | undefined;
  /** Takes the payloads that are to be sent; then this thread does it all. */
  readonly kept?: KeptPayloads | undefined;
}

/** Reads the whole input, and leaves in the ledger what each record is and what is wrong with it. */
export function check(job: Job, handle: PlanHandle, options: CheckOptions): Promise<CheckResult> {
  const { signal, shownValues } = options;
  const items = itemSettings({ job, handle }, options);
  const threads = options.kept === undefined ? threadsFor(job, options.threads ?? 1) : 1;
  const batches = plannedBatches(job, { threads, items, shownValues, signal }, options.kept);
  return planRecords(batches, { job, handle }, options);
}

function plannedBatches(
  job: Job,
  options: Parameters<typeof checkInThreads>[1],
  kept: KeptPayloads | undefined,
): AsyncIterable<PlannedBatch> {
  if (options.threads > 1) return checkInThreads(job, options);
  const { chunked, joined } = job.input;
  const inChunks = chunked ?? joined;
  if (inChunks !== undefined) return checkChunksHere(job, inChunks, { ...options, keep: kept?.keep });
  return planItems(checkedRecords(job, options), job, options.items);
}

/** Payloads and problems of some few records, found without reading all of the input (`Input.find`). */
export function checkedFoundRecords(
  job: Job,
  wanted: Parameters<Job["input"]["find"]>[0],
): AsyncGenerator<readonly MappedRecord[]> {
  return checkRecords(mapRecords(foundRecords(job, wanted), job), job, undefined);
}

/** Sources -> rows -> payloads -> problems, as far as `--only` and `--limit` let them through. Pure reading. */
export function checkedRecords(
  job: Job,
  { signal, shownValues }: Pick<CheckOptions, "signal" | "shownValues">,
): AsyncGenerator<readonly MappedRecord[]> {
  const payloads = selectRecords(mapRecords(readRecords(job, signal), job), job.settings);
  return checkRecords(payloads, job, shownValues);
}
