import { Failure } from "./model/failure.ts";
import type { MappedRecord } from "./model/record.ts";
import type { ShownValues } from "./report/shown-values.ts";
import { checkRecords, mapRecords, readRecords, selectRecords } from "./run/checked-records.ts";
import type { CheckEnd } from "./run/check-end.ts";
import type { Connection, PaceSettings } from "./run/connection.ts";
import type { DocumentCheckOptions } from "./run/document-check.ts";
import { documentFinder, lookUpDocuments } from "./run/document-check.ts";
import { dueRecords } from "./run/due-records.ts";
import type { Job } from "./run/job.ts";
import type { Parts } from "./run/parts.ts";
import type { KeyColumns, PlanOptions, RunBook } from "./run/plan-records.ts";
import { planPolicy, planRecords } from "./run/plan-records.ts";
import type { DocumentStore } from "./store/document-store.ts";
import type { UploadEnd } from "./upload/sendable.ts";
import { uploadInRounds } from "./upload/upload-rounds.ts";

export interface CheckOptions extends PlanOptions {
  /** Send accepted records again whose content has changed. */
  readonly revise: boolean;
  /** Let an input without a single record pass. */
  readonly allowEmpty: boolean;
  /** Takes note of offending values, when the user asked to see them. */
  readonly shownValues?: ShownValues | undefined;
}

/**
 * The first half of the line: sources -> rows -> payloads -> problems -> plan.
 * Reads the whole input in bounded memory and leaves in the ledger what each record is and what is wrong with it.
 * A push whose input was not read to its end keeps its plan open: `resume` reads it anew.
 */
export async function check(job: Job, book: RunBook, options: CheckOptions): Promise<CheckEnd> {
  const checked = checkedRecords(job, options);
  const keyColumns: KeyColumns = new Map();
  const end = await planRecords(checked, { job, book, keyColumns }, options);
  if (end.records === 0 && end.reason === "done" && !options.allowEmpty) throw noRecords(job);
  const whole = end.reason === "done" || book.target === undefined;
  if (whole) await book.ledger.settlePlan(book.run, planPolicy(job, options.revise, keyColumns));
  return end;
}

/** Sources -> rows -> payloads -> problems, as far as `--only` and `--limit` let them through. Pure reading. */
export function checkedRecords(
  job: Job,
  options: Pick<CheckOptions, "signal" | "shownValues">,
): AsyncGenerator<readonly MappedRecord[]> {
  const rows = readRecords(job, options.signal);
  const mapped = mapRecords(rows, job);
  const wanted = selectRecords(mapped, job.settings);
  return checkRecords(wanted, job, options.shownValues);
}

export interface DocumentOptions extends PlanOptions, DocumentCheckOptions {
  /** Let an input without a single record pass. */
  readonly allowEmpty: boolean;
}

/**
 * The line of `documents check`: sources -> rows -> payloads -> their document paths, asked of the store -> plan.
 * @throws Failure `config` when the contract marks no document path, and what the store ends a run with
 */
export async function checkDocuments(
  job: Job,
  book: RunBook,
  store: DocumentStore,
  options: DocumentOptions,
): Promise<CheckEnd> {
  const find = documentFinder(job);
  const rows = readRecords(job, options.signal);
  const mapped = mapRecords(rows, job);
  const wanted = selectRecords(mapped, job.settings);
  const lookedUp = lookUpDocuments(wanted, { job, store, find }, options);
  const end = await planRecords(lookedUp, { job, book, keyColumns: new Map() }, options);
  if (end.records === 0 && end.reason === "done" && !options.allowEmpty) throw noRecords(job);
  return end;
}

export interface SendOptions {
  readonly connection: Connection;
  readonly pace: PaceSettings;
  readonly parts: Pick<Parts, "drain" | "abort" | "clock" | "random" | "onUpload">;
  readonly shownValues?: ShownValues | undefined;
  /** The step after which records are left as they are. */
  readonly until?: string | undefined;
  /** The connection creates nothing: what the platform would take is `valid`. */
  readonly rehearsal?: boolean;
}

/**
 * The second half of the line: what the plan holds as `pending` -> the platform -> outcomes in the ledger.
 * Reads the input again, and once more for records that had to wait; what is settled already is passed over.
 */
export function send(job: Job, book: RunBook, options: SendOptions): Promise<UploadEnd> {
  const { connection, pace, parts, shownValues, until, rehearsal = false } = options;
  const due = (): ReturnType<typeof dueRecords> =>
    dueRecords(readRecords(job, parts.drain), { job, book, shownValues, until });
  const { clock, random, onUpload } = parts;
  return uploadInRounds(
    due,
    { ledger: book.ledger, steps: connection.steps, clock, random, onProgress: onUpload },
    {
      run: book.run,
      concurrency: pace.concurrency,
      ceiling: pace.maxConcurrency,
      until,
      rehearsal,
      oneSupplier: job.operation.supplier === undefined || job.mapping.isConstant(job.operation.supplier),
      waitForSupplier: pace.waitForSupplier,
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
