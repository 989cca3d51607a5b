import { canResolveAmbiguous, createsOnce } from "../../contract/operations/operation.ts";
import type { CheckProgress } from "../../job/dependencies.ts";
import { endpointOf } from "../../job/endpoint.ts";
import type { CompiledJob, Job } from "../../job/job.ts";
import { settingsIfKnown, settingsOf } from "../../job/settings/recorded-settings.ts";
import { formatAttr, NON_FIELD_ERRORS } from "../../json/attr.ts";
import type { ExcludedRow, FileCells, PlanPolicy } from "../../ledger/records/planned-item.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { PlanLedger } from "../../ledger/packed/plan-ledger.ts";
import type { Run } from "../../ledger/records/run.ts";
import type { PackedItems } from "../../ledger/packed/item-columns.ts";
import { countPacked, identityAt, joinPacked, packItems, recordAt } from "../../ledger/packed/packed-items.ts";
import { hexOf } from "../../ledger/records/record-hashes.ts";
import { Failure } from "../../model/failure.ts";
import type { MappedRecord } from "../../model/record.ts";
import type { RunValues } from "../../options/run-options.ts";
import { supersededRows } from "./superseded-rows.ts";
import { createItemBuilder, type ItemSettings, type PlannedBatch } from "./plan-items.ts";

/** A run and its ledger. */
export interface RunHandle<L extends PlanLedger = Ledger> {
  readonly ledger: L;
  readonly run: Run;
}

/** A run, whether or not it sends records, and its ledger. */
export type PlanHandle = RunHandle<PlanLedger>;

export interface PlanOptions extends RunValues {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: CheckProgress) => void;
}

export interface CheckResult extends CheckProgress {
  /**
   * `stopped`: the user stopped the run before the input was read completely. `too_many_errors`: more records are
   * invalid than `maxErrors` allows; the input may not have been read completely.
   */
  readonly reason: "done" | "too_many_errors" | "stopped";
}

interface PlanContext {
  readonly job: Job;
  readonly handle: PlanHandle;
}

export function itemSettings({ job, handle: { run } }: PlanContext, { sendInvalid, newKeys }: RunValues): ItemSettings {
  const { endpoint, supplier } = run;
  if (!isForSending(run)) return { purpose: { kind: "validate" }, sendInvalid, newKeys };
  const awaitedEndpoint = awaitedEndpointOf(job, run);
  return { purpose: { kind: "send", endpoint, supplier, awaitedEndpoint }, sendInvalid, newKeys };
}

export async function* planItems(
  records: AsyncIterable<readonly MappedRecord[]>,
  job: CompiledJob,
  settings: ItemSettings,
): AsyncGenerator<PlannedBatch> {
  const itemsOf = createItemBuilder(job, settings);
  for await (const batch of records) {
    const { items, ...findings } = itemsOf(batch);
    yield { ...findings, items: packItems(items) };
  }
}

/**
 * Writes plan items to the ledger. If a push is stopped or has too many errors, the plan stays open, and `resume` reads
 * the input again.
 */
export async function planRecords(
  batches: AsyncIterable<PlannedBatch>,
  context: PlanContext,
  options: PlanOptions,
): Promise<CheckResult> {
  const { job, handle } = context;
  const { fileCells, excluded, ...result } = await writeBatches(batches, context, options);
  const { ledger, run } = handle;
  const isFinal = result.reason === "done" || !isForSending(run);
  const superseded = isFinal ? await supersededRows(job, handle, options.signal) : undefined;
  if (superseded === undefined) {
    await ledger.exclude(run.id, excluded);
    return isFinal ? { ...result, reason: "stopped" } : result;
  }
  const { records } = result;
  const reimport = await reimportOf(context);
  await ledger.finishPlan(run.id, { ...planPolicy(job, options, fileCells), records, excluded, superseded, reimport });
  return result;
}

async function reimportOf({ job: { input }, handle: { ledger } }: PlanContext): Promise<PlanPolicy["reimport"]> {
  const { exportedBy } = input;
  if (exportedBy === undefined) return undefined;
  const runs = (await ledger.runs?.()) ?? [];
  return { exportedBy, reimports: runs.filter(isReimport).map(({ id }) => id) };
}

function isReimport(run: Run): boolean {
  return settingsIfKnown(run)?.job.rejects !== undefined;
}

/**
 * Writes checked records to the ledger in groups, until the input ends, too many records are invalid, or the user stops
 * the run. Does not compare records with each other or with earlier runs.
 */
export async function writeRecords(
  records: AsyncIterable<readonly MappedRecord[]>,
  context: PlanContext,
  options: PlanOptions,
): Promise<CheckResult> {
  const batches = planItems(records, context.job, itemSettings(context, options));
  const { fileCells: _fileCells, excluded, ...result } = await writeBatches(batches, context, options);
  await context.handle.ledger.exclude(context.handle.run.id, excluded);
  return result;
}

interface WrittenRecords extends CheckResult {
  readonly excluded: readonly ExcludedRow[];
  readonly fileCells: PlanPolicy["fileCells"];
}

async function writeBatches(
  batches: AsyncIterable<PlannedBatch>,
  context: PlanContext,
  options: PlanOptions,
): Promise<WrittenRecords> {
  const { ledger, run } = context.handle;
  const items = createItemGroups((group) => ledger.plan(run.id, group));
  const exclusions = (await ledger.exclusions?.()) ?? [];
  const excludedIdentities = new Set(exclusions.map(({ identity }) => hexOf(identity)));
  const result = await writeAll(batches, { add: items.add, excludedIdentities }, options);
  await items.end();
  if (result.reason === "stopped") return result;
  if (result.reason === "done" && result.records === 0 && options.allowEmpty !== true) throw noRecords(context.job);
  return tooManyInvalid(result, options.maxErrors, true) ? { ...result, reason: "too_many_errors" } : result;
}

function noRecords(job: Job): Failure {
  const files = job.input.files.map(({ file }) => file).join(", ");
  return new Failure("source_empty", `0 records in ${files}`, {
    hint: "check the files, --only and --limit; if no records are expected, pass --allow-empty",
  });
}

type AddItems = (items: PackedItems) => Promise<void>;

async function writeAll(
  batches: AsyncIterable<PlannedBatch>,
  { add, excludedIdentities }: { readonly add: AddItems; readonly excludedIdentities: ReadonlySet<string> },
  options: PlanOptions,
): Promise<WrittenRecords> {
  let progress: CheckProgress = { records: 0, invalid: 0 };
  const excluded: ExcludedRow[] = [];
  const fileCells = new Map<string, FileCells>();
  for await (const batch of batches) {
    for (const { position, file, cells, element } of batch.fileCells) {
      if (fileCells.has(file)) continue;
      const firstElement = element === undefined ? {} : { firstElement: recordAt(batch.items, position) - element };
      fileCells.set(file, { ...cells, ...firstElement });
    }
    const { records, invalid } = progress;
    progress = { records: records + batch.count, invalid: invalid + countInvalid(batch, excludedIdentities) };
    await add(batch.items);
    excluded.push(...batch.excluded.map(({ row }) => row));
    options.onProgress(progress);
    if (tooManyInvalid(progress, options.maxErrors, false))
      return { ...progress, reason: "too_many_errors", excluded, fileCells };
    if (options.signal.aborted) break;
  }
  return { ...progress, reason: options.signal.aborted ? "stopped" : "done", excluded, fileCells };
}

/** Returns the number of invalid records that the user has not excluded from the migration. */
function countInvalid({ items, invalid }: PlannedBatch, excludedIdentities: ReadonlySet<string>): number {
  if (excludedIdentities.size === 0) return invalid.length;
  const isExcluded = (identity: Uint8Array | undefined): boolean =>
    identity !== undefined && excludedIdentities.has(hexOf(identity));
  return invalid.filter((position) => !isExcluded(identityAt(items, position))).length;
}

/**
 * Minimum number of items per write, except for the last. Each write costs one disk sync, and a batch of long rows has
 * only a few items.
 */
const GROUP_SIZE = 600;

function createItemGroups(write: AddItems) {
  let group: PackedItems[] = [];
  let count = 0;

  const end = async (): Promise<void> => {
    const lists = group;
    group = [];
    count = 0;
    if (lists.length > 0) await write(joinPacked(lists));
  };
  const add: AddItems = async (items) => {
    group.push(items);
    count += countPacked(items);
    if (count >= GROUP_SIZE) await end();
  };
  return { add, end };
}

function tooManyInvalid(progress: CheckProgress, limit: RunValues["maxErrors"], atEnd: boolean): boolean {
  if (limit === undefined) return false;
  if ("count" in limit) return progress.invalid > limit.count;
  return atEnd && progress.invalid > limit.share * progress.records;
}

/** Also true for a dry run, because a dry run plans its records in the same way as the push that follows it. */
function isForSending({ command }: Run): boolean {
  return command === "push";
}

function awaitedEndpointOf({ after }: Job, run: Run): string | undefined {
  if (after === undefined) return undefined;
  return endpointOf(settingsOf(run).target.baseUrl, after.operation);
}

/** Returns the settings for comparing a plan with earlier runs in the ledger. */
export function planPolicy(
  job: Job,
  { revise = false, newKeys, allowOlder }: RunValues,
  fileCells: PlanPolicy["fileCells"] = new Map(),
): PlanPolicy {
  return {
    revise,
    newKeys,
    allowOlder,
    isDated: job.mapping.asOf !== undefined,
    resendAmbiguous: canResolveAmbiguous(job.operation),
    createsOnce: createsOnce(job.operation),
    scheduledStep: job.operation.steps.find(({ poll }) => poll !== undefined)?.name,
    after: job.after?.operation.id,
    awaitedAttr: job.after?.isOwnKey === false ? formatAttr(job.after.key) : undefined,
    awaitsOwnKey: job.after?.isOwnKey,
    keyAttr: formatAttr(job.mapping.keyAttr ?? []),
    fileCells,
  };
}

/**
 * Returns the policy for reconciling ambiguous records. Without a job, the attr and the cells of the key are unknown.
 */
export function reconcilePolicy(job: Job | undefined, { revise = false, allowOlder }: RunValues): PlanPolicy {
  if (job !== undefined) return planPolicy(job, { revise, allowOlder });
  return { revise, allowOlder, resendAmbiguous: false, keyAttr: NON_FIELD_ERRORS, fileCells: new Map() };
}
