import { contentHash, recordIdentity } from "./ledger/identity.ts";
import type { Ledger, PlanPolicy, PlannedItem, SendableItem } from "./ledger/ledger.ts";
import type { AttrPath } from "./model/attr.ts";
import { formatAttr, parseAttr } from "./model/attr.ts";
import { Failure } from "./model/failure.ts";
import { valueAt } from "./model/json.ts";
import type { Place } from "./model/place.ts";
import type { Problem } from "./model/problem.ts";
import { hasErrors } from "./model/problem.ts";
import type { MappedRecord } from "./model/record.ts";
import type { InputRecord } from "./model/row.ts";
import type { CheckEnd, CheckProgress } from "./run/check-end.ts";
import type { Job, JobSettings } from "./run/job.ts";
import type { ShownValues } from "./report/shown-values.ts";
import type { Connection, PaceSettings } from "./run/connection.ts";
import type { Parts } from "./run/parts.ts";
import type { Sendable, UploadEnd } from "./upload/sendable.ts";
import { upload } from "./upload/upload.ts";
import type { Validate } from "./validate/compile-validator.ts";
import { compileValidator } from "./validate/compile-validator.ts";

/** Where a run's records are written down, and what they are for. */
export interface RunBook {
  readonly ledger: Ledger;
  readonly run: string;
  /** Host and base path that the records are sent to; absent when nothing is to be sent. */
  readonly target?: string;
}

export interface CheckOptions {
  /** Stop when more records than this are invalid: a count, or a share (0 to 1) of all records. */
  readonly maxErrors?: { readonly count: number } | { readonly share: number } | undefined;
  /** Send accepted records again whose content has changed. */
  readonly revise: boolean;
  /** Let an input without a single record pass. */
  readonly allowEmpty: boolean;
  /** Takes note of offending values, when the user asked to see them. */
  readonly shownValues?: ShownValues | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: CheckProgress) => void;
}

/**
 * The first half of the line: sources -> rows -> payloads -> problems -> plan.
 * Reads the whole input in bounded memory and leaves in the ledger what each record is and what is wrong with it.
 */
export async function check(job: Job, book: RunBook, options: CheckOptions): Promise<CheckEnd> {
  const checked = checkedRecords(job, options);
  const keyColumns = new Map<string, KeyColumn>();
  const end = await planRecords(checked, { job, book, keyColumns }, options);
  if (end.records === 0 && end.reason === "done" && !options.allowEmpty) throw noRecords(job);
  await book.ledger.settlePlan(book.run, planPolicy(job, options.revise, keyColumns));
  return end;
}

/** How a plan is held against what the ledger knows from before. */
export function planPolicy(job: Job, revise: boolean, keyColumns: PlanPolicy["keyColumns"] = new Map()): PlanPolicy {
  return {
    revise,
    resendAmbiguous: job.operation.dedupes,
    keyAttr: formatAttr(job.mapping.keyAttr ?? []),
    keyColumns,
  };
}

/** Sources -> rows -> payloads -> problems, as far as `--only` and `--limit` let them through. Pure reading. */
export function checkedRecords(
  job: Job,
  options: Pick<CheckOptions, "signal" | "shownValues">,
): AsyncGenerator<readonly MappedRecord[]> {
  const rows = untilStopped(job, options.signal);
  const mapped = mapRecords(rows, job);
  const wanted = selectRecords(mapped, job.settings);
  return checkRecords(wanted, job, options.shownValues);
}

export interface SendOptions {
  readonly connection: Connection;
  readonly pace: PaceSettings;
  readonly parts: Parts;
  readonly shownValues?: ShownValues | undefined;
}

/**
 * The second half of the line: what the plan holds as `pending` -> the platform -> outcomes in the ledger.
 * Reads the input again; records that are settled already are passed over.
 */
export function send(job: Job, book: RunBook, options: SendOptions): Promise<UploadEnd> {
  const { connection, pace, parts, shownValues } = options;
  const rows = untilStopped(job, parts.drain);
  const due = dueRecords(rows, { job, book, shownValues });
  const { clock, random, onUpload } = parts;
  return upload(
    due,
    { ledger: book.ledger, client: connection.client, clock, random, onProgress: onUpload },
    {
      run: book.run,
      concurrency: pace.concurrency,
      ceiling: pace.maxConcurrency,
      dedupes: job.operation.dedupes,
      drain: parts.drain,
      abort: parts.abort,
      maxWaitMs: MOST_WAIT_MS,
      ...(pace.rps !== undefined && { rps: pace.rps }),
    },
  );
}

/** How long a run waits for a platform that does not take anything, before it ends as incomplete. */
const MOST_WAIT_MS = 5 * 60_000;

function noRecords(job: Job): Failure {
  const files = job.input.files.map(({ file }) => file).join(", ");
  return new Failure("source_empty", `0 records in ${files}`, {
    hint: "check the files, --only and --limit; where none are expected, pass --allow-empty",
  });
}

interface KeyColumn {
  readonly column: string;
  readonly columnNumber: number;
}

/** The input's records; they end early, without an error, when the user stops the run. */
async function* untilStopped({ input }: Job, signal: AbortSignal): AsyncGenerator<readonly InputRecord[]> {
  try {
    yield* input.records({ signal });
  } catch (error) {
    if (error !== signal.reason) throw error;
  }
}

async function* mapRecords(
  rows: AsyncIterable<readonly InputRecord[]>,
  job: Job,
): AsyncGenerator<readonly MappedRecord[]> {
  for await (const batch of rows) yield batch.map((record) => mapRecord(record, job));
}

function mapRecord({ number, source, orphan, row, problems }: InputRecord, job: Job): MappedRecord {
  if (orphan) return { number, source, orphan, row, problems, key: undefined, payload: {}, readable: false };
  const mapped = job.mapping.map(row);
  const readable = !hasErrors(problems);
  const all = readable && mapped.problems.length > 0 ? [...problems, ...mapped.problems] : problems;
  return { number, source, orphan, row, problems: all, key: mapped.key, payload: mapped.payload, readable };
}

/** `--only` and `--limit`: the numbers of the records stay those of the whole input. */
async function* selectRecords(
  records: AsyncIterable<readonly MappedRecord[]>,
  settings: Pick<JobSettings, "limit" | "only">,
): AsyncGenerator<readonly MappedRecord[]> {
  const only = settings.only && new Set(settings.only);
  let left = settings.limit ?? Number.POSITIVE_INFINITY;
  for await (const batch of records) {
    const wanted = (only ? batch.filter((record) => record.key !== undefined && only.has(record.key)) : batch).slice(
      0,
      left,
    );
    left -= wanted.length;
    if (wanted.length > 0) yield wanted;
    if (left <= 0) return;
  }
}

async function* checkRecords(
  records: AsyncIterable<readonly MappedRecord[]>,
  job: Job,
  shownValues: ShownValues | undefined,
): AsyncGenerator<readonly MappedRecord[]> {
  const { body } = job.operation;
  if (body === undefined) {
    throw new Failure("contract_invalid", `operation ${job.operation.id} has no request body`, {
      hint: "choose one that has, with --operation",
    });
  }
  const { documentRoot } = job.settings;
  const validate = compileValidator(body, {
    keepValues: shownValues !== undefined,
    ...(documentRoot !== undefined && { documentRoot }),
  });
  for await (const batch of records) {
    const checked = batch.map((record) => checkRecord(record, job, validate));
    if (shownValues) for (const record of checked) noteValues(record, shownValues);
    yield checked;
  }
}

function checkRecord(record: MappedRecord, job: Job, validate: Validate): MappedRecord {
  if (!record.readable) return record;
  const found = validate(record.payload);
  if (found.length === 0 && (record.key !== undefined || job.mapping.keyAttr === undefined)) return record;
  const known = new Set(record.problems.map((problem) => problem.attr));
  const located = found
    .filter((problem) => !known.has(problem.attr))
    .map(({ path, ...problem }) => withPlace(problem, job.mapping.locate(record.row, path)));
  const problems = [...record.problems, ...located];
  return { ...record, problems: record.key === undefined ? withKeyProblem(problems, record, job) : problems };
}

/** A record without its business key could not be known again; the contract may not ask for it, the tool does. */
function withKeyProblem(problems: readonly Problem[], { row }: MappedRecord, { mapping }: Job): readonly Problem[] {
  const attr = formatAttr(mapping.keyAttr ?? []);
  if (mapping.keyAttr === undefined || problems.some((problem) => problem.attr === attr)) return problems;
  const missing = { attr, code: "required", severity: "error", by: "local" } as const;
  return [...problems, withPlace(missing, mapping.locate(row, mapping.keyAttr))];
}

function isValid(record: MappedRecord): boolean {
  return record.readable && !hasErrors(record.problems);
}

/** Problems of the mapping carry no value: what could not be converted stands in the payload as it was. */
function noteValues({ problems, payload }: MappedRecord, shownValues: ShownValues): void {
  for (const { place, value, attr } of problems) {
    if (place) shownValues.noteValue(place, value ?? valueAt(payload, parseAttr(attr)));
  }
}

function withPlace<P extends object>(problem: P, place: Place | undefined): P & { readonly place?: Place } {
  return place === undefined ? problem : { ...problem, place };
}

interface PlanContext {
  readonly job: Job;
  readonly book: RunBook;
  /** Filled while planning: where each file keeps the business key. */
  readonly keyColumns: Map<string, KeyColumn>;
}

async function planRecords(
  records: AsyncIterable<readonly MappedRecord[]>,
  context: PlanContext,
  options: CheckOptions,
): Promise<CheckEnd> {
  let progress: CheckProgress = { records: 0, invalid: 0 };
  for await (const batch of records) {
    await context.book.ledger.plan(
      context.book.run,
      batch.map((record) => plannedItem(record, context)),
    );
    const invalid = batch.filter((record) => !isValid(record)).length;
    progress = { records: progress.records + batch.length, invalid: progress.invalid + invalid };
    options.onProgress(progress);
    if (tooManyInvalid(progress, options.maxErrors, false)) return { ...progress, reason: "too_many_errors" };
    if (options.signal.aborted) return { ...progress, reason: "stopped" };
  }
  if (options.signal.aborted) return { ...progress, reason: "stopped" };
  return { ...progress, reason: tooManyInvalid(progress, options.maxErrors, true) ? "too_many_errors" : "done" };
}

function tooManyInvalid(progress: CheckProgress, most: CheckOptions["maxErrors"], atEnd: boolean): boolean {
  if (most === undefined) return false;
  if ("count" in most) return progress.invalid > most.count;
  return atEnd && progress.invalid > most.share * progress.records;
}

function plannedItem(record: MappedRecord, { job, book, keyColumns }: PlanContext): PlannedItem {
  const { number, key, row, problems } = record;
  const { file } = row.table;
  if (!keyColumns.has(file)) noteKeyColumn(record, job, keyColumns);
  return {
    record: number,
    key,
    identity: key === undefined || book.target === undefined ? undefined : identityOf(key, job, book.target),
    content: key === undefined ? undefined : contentHash(record.payload),
    file,
    line: row.line,
    status: isValid(record) ? "valid" : "invalid",
    problems,
  };
}

function identityOf(key: string, job: Job, target: string): Uint8Array {
  return recordIdentity({ target, supplier: job.settings.supplier ?? "", operation: job.operation.id, key });
}

function noteKeyColumn(record: MappedRecord, job: Job, keyColumns: Map<string, KeyColumn>): void {
  if (record.orphan || job.mapping.keyAttr === undefined) return;
  const place = job.mapping.locate(record.row, job.mapping.keyAttr);
  if (place?.column === undefined || place.columnNumber === undefined) return;
  keyColumns.set(place.file, { column: place.column, columnNumber: place.columnNumber });
}

interface DueContext {
  readonly job: Job;
  readonly book: RunBook;
  readonly shownValues: ShownValues | undefined;
}

async function* dueRecords(
  rows: AsyncIterable<readonly InputRecord[]>,
  context: DueContext,
): AsyncGenerator<readonly Sendable[]> {
  for await (const batch of rows) {
    const [first, last] = [batch[0], batch.at(-1)];
    if (first === undefined || last === undefined) continue;
    const due = await context.book.ledger.sendable(context.book.run, first.number, last.number);
    if (due.length === 0) continue;
    const byNumber = new Map(batch.map((record) => [record.number, record]));
    yield due.map((item) => sendable(byNumber.get(item.record), item, context));
  }
}

function sendable(record: InputRecord | undefined, item: SendableItem, context: DueContext): Sendable {
  const { mapping } = context.job;
  const payload = record === undefined ? undefined : mapping.map(record.row).payload;
  if (record === undefined || payload === undefined || !sameBytes(contentHash(payload), item.content)) {
    throw new Failure("source_changed", `record ${item.record} is not what it was when the run was planned`, {
      hint: "the input or the mapping has changed: start again with migrate push",
    });
  }
  const locate = (path: AttrPath): Place | undefined => {
    const place = mapping.locate(record.row, path);
    if (place) context.shownValues?.noteValue(place, valueAt(payload, path));
    return place;
  };
  return { ...item, payload, locate };
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
