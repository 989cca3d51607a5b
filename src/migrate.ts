import { sendCanary } from "./canary/send-canary.ts";
import type { CheckProgress } from "./job/dependencies.ts";
import type { Job } from "./job/job.ts";
import type { Counts } from "./job/run-progress.ts";
import type { WorkerSettings } from "./job/settings/recorded-settings.ts";
import type { Connection } from "./job/target-connection.ts";
import type { MappedRecord } from "./model/record.ts";
import {
  checkRecords,
  foundRecords,
  mapRecords,
  readRecords,
  selectRecords,
  type WantedRecords,
} from "./pipeline/plan/check-records.ts";
import {
  type CheckResult,
  itemSettings,
  planItems,
  type PlanOptions,
  planRecords,
  type PlanHandle,
} from "./pipeline/plan/plan-records.ts";
import { noticeMissingKeys } from "./pipeline/plan/missing-keys.ts";
import type { PlannedBatch } from "./pipeline/plan/plan-items.ts";
import { withSelectedOrphans } from "./pipeline/plan/selected-orphans.ts";
import { countAmbiguousBefore } from "./pipeline/run/run-ledger.ts";
import { endRun, type ShownRun } from "./pipeline/run/run-report.ts";
import { keepPayloads, type KeptPayloads } from "./pipeline/send/kept-payloads.ts";
import { waitForOtherContent } from "./pipeline/send/quiet-period.ts";
import { haveReplies, type SendOptions, sendRecords } from "./pipeline/send/send-records.ts";
import { checkChunksHere, checkInThreads, type CheckInThreads } from "./pipeline/threads/check-in-threads.ts";
import { threadsFor } from "./pipeline/threads/thread-count.ts";
import { shareRun } from "./pipeline/shared/share-run.ts";
import type { OpenPlan, OpenRun } from "./pipeline/run/with-run.ts";
import { compareExisting } from "./reconcile/reconcile-run.ts";
import type { ShownValues } from "./report/shown-values.ts";
import type { UploadEnd } from "./upload/upload-types.ts";

/** Options for reading and checking the records of a run. */
export type MigrateOptions = Omit<CheckOptions, "signal" | "onProgress" | "shownValues" | "kept">;

/** Options for sending. Absent for a run that only validates. */
export interface Sending extends Omit<SendOptions, "dependencies" | "shownValues" | "journal"> {
  /**
   * Called before the first request if the run has records to send.
   * @throws Failure if the records must not be sent
   */
  readonly confirm?: ((counts: Counts) => Promise<void>) | undefined;
  /** Settings of the workers that send the planned records; absent if only this process sends them. */
  readonly workers?: WorkerSettings | undefined;
  /** Number of records to send first. If absent or 0, the run sends all records without a canary. */
  readonly canary?: number | undefined;
}

/**
 * Runs a whole migration, from the sources to the report: read -> map -> validate -> plan (`check`), then send, then
 * report. Without `sending`, the run is a dry run.
 *
 * Memory use does not grow with the input: records stream through in batches, and the ledger separates the stages.
 */
export async function migrate(run: OpenRun, options: MigrateOptions, sending?: Sending): Promise<ShownRun> {
  const kept = sending === undefined || sending.workers !== undefined ? undefined : keepPayloads(run.job, options);
  const checked = await checkInput(run, { ...options, kept });
  if (checked.reason === "done" && sending === undefined) await announce(run, { isDryRun: true });
  return continueSending(run, checked.reason === "done" && sending ? { ...sending, kept } : undefined, checked);
}

/** Reads and checks the input, then reports. Sends nothing. */
export async function validateInput(run: OpenPlan, options: MigrateOptions): Promise<ShownRun> {
  return endRun(run, { checked: await checkInput(run, options) });
}

async function checkInput(run: OpenPlan, options: MigrateOptions & Pick<CheckOptions, "kept">): Promise<CheckResult> {
  const { job, shownValues, dependencies } = run;
  const { drain: signal } = dependencies;
  const onProgress = (checked: CheckProgress): void => dependencies.onProgress({ kind: "checked", ...checked });
  const result = await check(job, run, { ...options, signal, onProgress, shownValues });
  if (result.reason === "done") await noticeMissingKeys(run, dependencies);
  return result;
}

/**
 * Sends the planned records that have no final status yet, compares the records that the platform already had, then
 * reports. Without `sending`, only reports.
 */
export async function continueSending(run: OpenRun, sending?: Sending, checked?: CheckResult): Promise<ShownRun> {
  const { shownValues, journal, dependencies } = run;
  const before = sending && (await announce(run, sending));
  if (sending !== undefined) await waitUntilQuiet(run, sending.connection);
  const hasReplied = before && haveReplies(before);
  const options = sending && { ...sending, dependencies, shownValues, journal, hasReplied };
  const sent = options && ((await canaryEnd(run, options)) ?? (await sendAll(run, options)));
  if (sending !== undefined && sent?.reason === "done") await compareExisting(run, sending.connection);
  const isResumed = checked === undefined;
  return endRun(run, { checked, sent, ...(isResumed && { before }) });
}

function waitUntilQuiet({ ledger, run, job, dependencies }: OpenRun, connection: Connection): Promise<void> {
  const { stepNames = [] } = job.mapping;
  const hasStageFields = job.operation.steps.some(({ kind, name }) => kind === "stage" && stepNames.includes(name));
  const msSince = (): Promise<number | undefined> => ledger.msSinceOtherContent(run.id, hasStageFields);
  return waitForOtherContent(job.operation.outcomes, msSince, connection, dependencies);
}

type SendingOptions = Sending & SendOptions;

/** Sends the canary. Returns undefined if the other records may be sent, otherwise how sending ended. */
async function canaryEnd(run: OpenRun, options: SendingOptions): Promise<UploadEnd | undefined> {
  const { canary = 0 } = options;
  return canary === 0 ? undefined : sendCanary(run, options, canary);
}

function sendAll(run: OpenRun, { workers, ...options }: SendingOptions): Promise<UploadEnd | undefined> {
  return workers === undefined ? sendRecords(run.job, run, options) : shareRun(run, { ...options, workers });
}

/** Counts the records of the run before they are sent, and emits the counts. Calls `confirm` if records are pending. */
async function announce(
  { ledger, run, dependencies }: OpenRun,
  { confirm, isDryRun = false }: Pick<Sending, "confirm"> & { readonly isDryRun?: boolean },
): Promise<Counts> {
  const { counts } = await ledger.summary(run.id);
  const compared = await ledger.compareToSend(run.id);
  const ambiguousBefore = await countAmbiguousBefore(ledger, run.id, counts);
  dependencies.onProgress({ kind: "planned", counts, ambiguousBefore, compared, isDryRun });
  if ((counts.pending ?? 0) > 0) await confirm?.(counts);
  return counts;
}

/** Options for `check`. By default, only the calling thread reads, maps and checks. */
export interface CheckOptions extends PlanOptions {
  /** Collects the invalid values if the user asked to see them. */
  readonly shownValues?: ShownValues | undefined;
  /** Receives the payloads of the records to send. If set, only the calling thread maps and checks. */
  readonly kept?: KeptPayloads | undefined;
}

/** Reads the whole input, and stores the status and the problems of each record in the ledger. */
export function check(job: Job, handle: PlanHandle, options: CheckOptions): Promise<CheckResult> {
  const { signal, shownValues } = options;
  const items = itemSettings({ job, handle }, options);
  const plan = threadsFor(job, options.kept === undefined ? (options.threads ?? 1) : 1);
  const batches = plannedBatches(job, { ...plan, items, shownValues, signal }, options.kept);
  return planRecords(withSelectedOrphans(batches, job, { items, signal }), { job, handle }, options);
}

function plannedBatches(
  job: Job,
  options: CheckInThreads,
  kept: KeptPayloads | undefined,
): AsyncIterable<PlannedBatch> {
  if (options.threads > 1) return checkInThreads(job, options);
  const { chunked, joined } = job.input;
  const inChunks = chunked ?? joined;
  if (inChunks !== undefined) return checkChunksHere(job, inChunks, { ...options, keep: kept?.keep });
  return planItems(checkedRecords(job, options), job, options.items);
}

/** Yields the wanted records with their payloads and problems. Does not read the whole input (`Input.find`). */
export function checkedFoundRecords(job: Job, wanted: WantedRecords): AsyncGenerator<readonly MappedRecord[]> {
  return checkRecords(mapRecords(foundRecords(job, wanted), job), job, undefined);
}

/** Reads, maps and checks the records of the input, limited by `--only` and `--limit`. Writes nothing to the ledger. */
export function checkedRecords(
  job: Job,
  { signal, shownValues }: Pick<CheckOptions, "signal" | "shownValues">,
): AsyncGenerator<readonly MappedRecord[]> {
  const payloads = selectRecords(mapRecords(readRecords(job, signal), job), job.settings);
  return checkRecords(payloads, job, shownValues);
}
