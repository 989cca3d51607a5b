import { Failure } from "./model/failure.ts";
import type { MappedRecord } from "./model/record.ts";
import type { ShownValues } from "./report/shown-values.ts";
import { checkRecords, mapRecords, readRecords, selectRecords } from "./pipeline/check-records.ts";
import type { CheckResult } from "./job/dependencies.ts";
import type { Connection, RateLimitSettings } from "./job/target-connection.ts";
import type { DocumentCheckOptions } from "./pipeline/look-up-documents.ts";
import { documentFinder, lookUpDocuments } from "./pipeline/look-up-documents.ts";
import { recordsToSend } from "./pipeline/records-to-send.ts";
import type { Job } from "./job/job.ts";
import type { Dependencies } from "./job/dependencies.ts";
import type { KeyColumns, PlanOptions, RunHandle } from "./pipeline/plan-records.ts";
import { planPolicy, planRecords } from "./pipeline/plan-records.ts";
import type { DocumentStore } from "./store/document-store.ts";
import type { UploadEnd } from "./upload/upload-types.ts";
import { upload } from "./upload/upload.ts";

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
export async function check(job: Job, handle: RunHandle, options: CheckOptions): Promise<CheckResult> {
  const checked = checkedRecords(job, options);
  const keyColumns: KeyColumns = new Map();
  const end = await planRecords(checked, { job, handle, keyColumns }, options);
  if (end.records === 0 && end.reason === "done" && !options.allowEmpty) throw noRecords(job);
  const whole = end.reason === "done" || handle.target === undefined;
  if (whole) await handle.ledger.finishPlan(handle.run, planPolicy(job, options.revise, keyColumns));
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
  handle: RunHandle,
  store: DocumentStore,
  options: DocumentOptions,
): Promise<CheckResult> {
  const find = documentFinder(job);
  const rows = readRecords(job, options.signal);
  const mapped = mapRecords(rows, job);
  const wanted = selectRecords(mapped, job.settings);
  const lookedUp = lookUpDocuments(wanted, { job, store, find }, options);
  const end = await planRecords(lookedUp, { job, handle, keyColumns: new Map() }, options);
  if (end.records === 0 && end.reason === "done" && !options.allowEmpty) throw noRecords(job);
  return end;
}

export interface SendOptions {
  readonly connection: Connection;
  readonly pace: RateLimitSettings;
  readonly dependencies: Pick<Dependencies, "drain" | "abort" | "clock" | "random" | "onUpload">;
  readonly shownValues?: ShownValues | undefined;
  /** The step after which records are left as they are. */
  readonly until?: string | undefined;
  /** The connection creates nothing: what the platform would take is `valid`. */
  readonly remoteValidation?: boolean;
}

/**
 * The second half of the line: what the plan holds as `pending` -> the platform -> outcomes in the ledger.
 * Reads the input again, and once more for records that had to wait; what is settled already is passed over.
 */
export function send(job: Job, handle: RunHandle, options: SendOptions): Promise<UploadEnd> {
  const { connection, pace, dependencies, shownValues, until, remoteValidation = false } = options;
  const due = (): ReturnType<typeof recordsToSend> =>
    recordsToSend(readRecords(job, dependencies.drain), { job, handle, shownValues, until });
  const { clock, random, onUpload } = dependencies;
  return upload(
    due,
    { ledger: handle.ledger, steps: connection.steps, clock, random, onProgress: onUpload },
    {
      run: handle.run,
      concurrency: pace.concurrency,
      ceiling: pace.maxConcurrency,
      until,
      remoteValidation,
      oneSupplier: job.operation.supplier === undefined || job.mapping.isConstant(job.operation.supplier),
      waitForSupplier: pace.waitForSupplier,
      drain: dependencies.drain,
      abort: dependencies.abort,
      maxWaitMs: MAX_PLATFORM_WAIT_MS,
      ...(pace.rps !== undefined && { rps: pace.rps }),
    },
  );
}

/** How long a run waits for a platform that does not take anything, before it ends as incomplete. */
const MAX_PLATFORM_WAIT_MS = 5 * 60_000;

function noRecords(job: Job): Failure {
  const files = job.input.files.map(({ file }) => file).join(", ");
  return new Failure("source_empty", `0 records in ${files}`, {
    hint: "check the files, --only and --limit; where none are expected, pass --allow-empty",
  });
}
