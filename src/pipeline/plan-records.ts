import { canResolveAmbiguous } from "../contract/operations/operation.ts";
import type { CheckProgress } from "../job/dependencies.ts";
import { endpointOf, filledEndpoint } from "../job/endpoint.ts";
import { type MaxErrors, settingsOf } from "../job/recorded-settings.ts";
import type { Job } from "../job/job.ts";
import { formatAttr, NON_FIELD_ERRORS } from "../json/attr.ts";
import { type JsonObject, valueAt } from "../json/json-value.ts";
import type { ExcludedRow, Ledger, PlannedItem, PlanPolicy, Run } from "../ledger/ledger.ts";
import { contentHash, createFastContentHash, recordIdentity } from "../ledger/record-hashes.ts";
import { Failure } from "../model/failure.ts";
import type { Problem } from "../model/problem.ts";
import type { MappedRecord } from "../model/record.ts";
import { isValid } from "./check-records.ts";

/** What the user says of keys that the ledger knows. */
export type KeyPolicy = Pick<PlanPolicy, "revise" | "newKeys">;

/** A run, and where its records are written down. */
export interface RunHandle {
  readonly ledger: Ledger;
  readonly run: Run;
}

export interface PlanOptions {
  /** Send also what is invalid here, where it can be: the platform decides. */
  readonly sendInvalid?: boolean | undefined;
  readonly maxErrors?: MaxErrors | undefined;
  /** Let an input without a single record pass. */
  readonly allowEmpty: boolean;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: CheckProgress) => void;
}

/** How the reading and checking of the input ended. */
export interface CheckResult extends CheckProgress {
  /** Otherwise than `done`, the rest of the input was not read. */
  readonly reason: "done" | "too_many_errors" | "stopped";
}

interface PlanContext {
  readonly job: Job;
  readonly handle: RunHandle;
  /** Filled while planning: where each file keeps the business key. */
  readonly keyColumns: KeyColumns;
  /** Where the records are created that have to be accepted first. */
  readonly awaitedEndpoint?: string | undefined;
}

/**
 * Checked records -> the plan: what is to become of each. The plan of a push whose input was not read to its end stays
 * open: `resume` reads it anew.
 */
export async function planRecords(
  records: AsyncIterable<readonly MappedRecord[]>,
  { job, handle }: { readonly job: Job; readonly handle: RunHandle },
  options: PlanOptions & KeyPolicy,
): Promise<CheckResult> {
  const keyColumns: KeyColumns = new Map();
  const result = await listRecords(
    records,
    { job, handle, keyColumns, awaitedEndpoint: awaitedEndpointOf(job, handle.run) },
    options,
  );
  const { ledger, run } = handle;
  const isFinal = result.reason === "done" || run.target === "";
  if (isFinal) await ledger.finishPlan(run.id, planPolicy(job, options, keyColumns));
  return result;
}

/**
 * Writes checked records into the ledger, group by group, until there are none or too many are invalid. They are not
 * compared with each other, nor with what the ledger knows from before.
 */
export async function listRecords(
  records: AsyncIterable<readonly MappedRecord[]>,
  context: PlanContext,
  options: PlanOptions,
): Promise<CheckResult> {
  const { ledger, run } = context.handle;
  const excluded: ExcludedRow[] = [];
  const items = createItemGroups((group) => ledger.plan(run.id, group));
  const result = await listAll(records, { context, options, excluded, items });
  await items.end();
  if (result.reason === "stopped") return result;
  if (result.reason === "done" && result.records === 0 && !options.allowEmpty) throw noRecords(context.job);
  if (result.reason === "done") await ledger.exclude(run.id, excluded);
  return tooManyInvalid(result, options.maxErrors, true) ? { ...result, reason: "too_many_errors" } : result;
}

function noRecords(job: Job): Failure {
  const files = job.input.files.map(({ file }) => file).join(", ");
  return new Failure("source_empty", `0 records in ${files}`, {
    hint: "check the files, --only and --limit; where none are expected, pass --allow-empty",
  });
}

interface Listing {
  readonly context: PlanContext;
  readonly options: PlanOptions;
  readonly excluded: ExcludedRow[];
  readonly items: ItemGroups;
}

async function listAll(
  records: AsyncIterable<readonly MappedRecord[]>,
  { context, options, excluded, items }: Listing,
): Promise<CheckResult> {
  let progress: CheckProgress = { records: 0, invalid: 0 };
  const fastHash = createFastContentHash();
  for await (const batch of records) {
    await items.add(
      batch.map((record) =>
        plannedItem(options.sendInvalid === true ? withErrorsAsWarnings(record) : record, context, fastHash),
      ),
    );
    excluded.push(...batch.flatMap((record) => excludedParents(record, context.job)));
    const invalid = batch.filter((record) => !isValid(record)).length;
    progress = { records: progress.records + batch.length, invalid: progress.invalid + invalid };
    options.onProgress(progress);
    if (tooManyInvalid(progress, options.maxErrors, false)) return { ...progress, reason: "too_many_errors" };
    if (options.signal.aborted) break;
  }
  return { ...progress, reason: options.signal.aborted ? "stopped" : "done" };
}

interface ItemGroups {
  readonly add: (items: readonly PlannedItem[]) => Promise<void>;
  readonly end: () => Promise<void>;
}

/** Every group waits for the disk once, and a batch of long rows holds few of them. */
const GROUP_SIZE = 600;

function createItemGroups(write: (items: readonly PlannedItem[]) => Promise<void>): ItemGroups {
  let group: PlannedItem[] = [];
  const end = async (): Promise<void> => {
    const items = group;
    group = [];
    if (items.length > 0) await write(items);
  };
  return {
    async add(items) {
      group.push(...items);
      if (group.length >= GROUP_SIZE) await end();
    },
    end,
  };
}

/**
 * The record that an orphan almost certainly belongs to must not go without it: the platform takes an account once.
 * Orphans come last, when their parents are planned already.
 */
function excludedParents(record: MappedRecord, { mapping }: Job): readonly ExcludedRow[] {
  if (!record.orphan) return [];
  return record.problems.flatMap((problem) => {
    if (problem.code !== "source_orphan_row" || !("near" in problem) || !problem.near || !problem.place) return [];
    const { near, alsoNear = [], place } = problem;
    const finding = { code: "source_child_left_out", child: record.source, other: place } as const;
    const attr = formatAttr(mapping.keyAttr ?? []);
    return [near, ...alsoNear].map((parent) => ({
      file: parent.file,
      line: parent.line,
      problem: { attr, severity: "error", by: "local", place: parent, ...finding } as const,
    }));
  });
}

function tooManyInvalid(progress: CheckProgress, most: MaxErrors | undefined, atEnd: boolean): boolean {
  if (most === undefined) return false;
  if ("count" in most) return progress.invalid > most.count;
  return atEnd && progress.invalid > most.share * progress.records;
}

function plannedItem(
  record: MappedRecord,
  context: PlanContext,
  fastHash: (payload: JsonObject) => number,
): PlannedItem {
  const { job, handle, keyColumns } = context;
  const { number, key, row, problems, payload, parameters } = record;
  const { supplier } = handle.run;
  const endpoint = filledEndpoint(handle.run.endpoint ?? "", job.operation, parameters);
  const { file } = row.table;
  if (!keyColumns.has(file)) noteKeyColumn(record, job, keyColumns);
  return {
    record: number,
    key,
    identity: key === undefined || endpoint === "" ? undefined : recordIdentity({ endpoint, supplier, key }),
    content: key === undefined ? undefined : endpoint === "" ? fastHash(payload) : contentHash(payload, parameters),
    file,
    line: row.line,
    status: isValid(record) ? "valid" : "invalid",
    problems,
    ...(endpoint !== "" && awaitedRecord(record, context)),
  };
}

/** The record that has to be accepted before this one is sent (`after:` in the mapping). */
function awaitedRecord(
  { payload, parameters }: MappedRecord,
  { job: { after }, handle, awaitedEndpoint }: PlanContext,
): Pick<PlannedItem, "awaits"> {
  const key = after === undefined ? undefined : valueAt(payload, after.key);
  if (after === undefined || awaitedEndpoint === undefined || (typeof key !== "string" && typeof key !== "number"))
    return {};
  const endpoint = filledEndpoint(awaitedEndpoint, after.operation, parameters);
  return { awaits: recordIdentity({ endpoint, supplier: handle.run.supplier, key: String(key) }) };
}

function awaitedEndpointOf({ after }: Job, run: Run): string | undefined {
  if (after === undefined || run.target === "") return undefined;
  return endpointOf(settingsOf(run).target.baseUrl, after.operation);
}

function noteKeyColumn(record: MappedRecord, job: Job, keyColumns: KeyColumns): void {
  if (record.orphan || job.mapping.keyAttr === undefined) return;
  const place = job.mapping.locate(record.row, job.mapping.keyAttr);
  if (place?.column === undefined || place.columnNumber === undefined) return;
  keyColumns.set(place.file, { column: place.column, columnNumber: place.columnNumber });
}

/** Where each file keeps the business key. */
type KeyColumns = Map<string, { readonly column: string; readonly columnNumber: number }>;

/** How a plan is compared with what the ledger knows from before. */
export function planPolicy(
  job: Job,
  { revise, newKeys }: KeyPolicy,
  keyColumns: PlanPolicy["keyColumns"] = new Map(),
): PlanPolicy {
  return {
    revise,
    newKeys,
    resendAmbiguous: canResolveAmbiguous(job.operation),
    after: job.after?.operation.id,
    keyAttr: formatAttr(job.mapping.keyAttr ?? []),
    keyColumns,
  };
}

/** The same while ambiguous records are settled; without its job a run's keys have no place. */
export function reconcilePolicy(job: Job | undefined, { revise }: KeyPolicy): PlanPolicy {
  if (job !== undefined) return planPolicy(job, { revise });
  return { revise, resendAmbiguous: false, keyAttr: NON_FIELD_ERRORS, keyColumns: new Map() };
}

/**
 * An invalid record as one that the platform is to decide on (`push --send-invalid`): its errors become warnings. Not so for
 * what could do harm: a record that was not read whole, whose errors are too many to be listed, or that has no business key to be known again by, or a document path
 * that leads where it should not. Keys that repeat are settled later, over all records, and never sent.
 */
export function withErrorsAsWarnings(record: MappedRecord): MappedRecord {
  if (!record.readable || record.orphan || record.key === undefined || record.problems.some(isUnsafeToSend))
    return record;
  return { ...record, problems: record.problems.map((problem) => ({ ...problem, severity: "warning" })) };
}

function isUnsafeToSend({ code, severity, unlisted }: Problem): boolean {
  return severity === "error" && (unlisted !== undefined || code.startsWith("source_") || UNSAFE_CODES.has(code));
}

const UNSAFE_CODES: ReadonlySet<string> = new Set(["unsafe_document_path", "duplicate_key"]);
