import type { Dependencies } from "../../job/dependencies.ts";
import type { Job } from "../../job/job.ts";
import { supplierIn } from "../../job/settings/supplier-settings.ts";
import type { Connection } from "../../job/target-connection.ts";
import { canonicalJson, type JsonObject, valueAt } from "../../json/json-value.ts";
import type { SendableItem } from "../../ledger/ledger.ts";
import { contentText, contentTextHash } from "../../ledger/records/record-hashes.ts";
import { Failure } from "../../model/failure.ts";
import { compileSentForm } from "../../map/node/sent-form.ts";
import type { InputRecord, Row } from "../../model/record.ts";
import type { ShownValues } from "../../report/shown-values.ts";
import type { RecordToSend, UploadDependencies, UploadEnd } from "../../upload/upload-types.ts";
import type { Clock } from "../../time/clock.ts";
import { upload } from "../../upload/upload.ts";
import { guardedSteps } from "./guarded-step.ts";
import type { RunHandle } from "../plan/plan-records.ts";
import type { KeptGroup, KeptPayloads } from "./kept-payloads.ts";
import { probeUnsent } from "./probe-unsent.ts";
import type { RunJournal } from "../run/run-journal.ts";
import type { RateLimitSettings } from "../../job/settings/platform-settings.ts";
import { readAhead } from "./read-ahead.ts";
import { smallFirst } from "./small-first.ts";
import { unsentRecords } from "./unsent-records.ts";

export interface SendOptions {
  readonly connection: Connection;
  readonly pace: RateLimitSettings;
  readonly dependencies: Pick<Dependencies, "drain" | "abort" | "clock" | "random" | "onProgress" | "notice">;
  readonly shownValues?: ShownValues | undefined;
  /** The step after which records are left as they are. */
  readonly until?: string | undefined;
  /** Remembers outside of the ledger what was sent. */
  readonly journal?: RunJournal | undefined;
  /** The connection creates nothing: what the platform would take is `valid`. */
  readonly remoteValidation?: boolean;
  /** The payloads of the input, where they need not be made again. */
  readonly kept?: KeptPayloads | undefined;
}

/**
 * What the plan holds as `pending` -> the platform -> outcomes in the ledger. Reads the input again, and once more for
 * records that had to wait; what is settled already is passed over.
 */
export async function sendRecords(job: Job, handle: RunHandle, options: SendOptions): Promise<UploadEnd> {
  const { connection, pace, dependencies, shownValues, until, remoteValidation = false } = options;
  const { drain, abort, clock, random, onProgress } = dependencies;
  const { supplier } = job.operation;
  const { lease } = handle.ledger;
  const steps = lease === undefined ? connection.steps : guardedSteps(connection, { lease, clock, lost: lease.lost });
  const quietMs = await quietBeforeResend(handle, connection, dependencies);
  await options.journal?.begin(handle.run.id);
  const end = await upload(
    () => {
      const context = { job, handle, shownValues, until };
      const groups = options.kept?.groups();
      const due =
        groups === undefined
          ? recordsToSend(smallFirst(unsentRecords({ ...handle, input: job.input, signal: drain })), context)
          : keptRecordsToSend(groups, context, drain);
      return readAhead(remoteValidation ? due : probeUnsent(due, { job, handle, connection, drain }));
    },
    { ledger: journaled(handle.ledger, options.journal), steps, clock, random, onProgress },
    {
      run: handle.run.id,
      concurrency: pace.concurrency,
      ceiling: pace.maxConcurrency,
      until,
      remoteValidation,
      oneSupplier: supplier === undefined || job.mapping.isConstant(supplier),
      waitForSupplier: pace.waitForSupplier,
      drain: lease === undefined ? drain : AbortSignal.any([drain, lease.lost]),
      abort,
      trustNotFoundFrom: clock.monotonic() + quietMs,
      maxWaitMs: MAX_PLATFORM_WAIT_MS,
      ...(pace.rps !== undefined && { rps: pace.rps }),
    },
  );
  await options.journal?.end();
  return lease?.lost.aborted === true ? endWithoutLedger(end, lease.lost) : end;
}

/** @throws whatever kept the lease from being renewed, where that is a bug */
function endWithoutLedger(end: UploadEnd, lost: AbortSignal): UploadEnd {
  const failure: unknown = lost.reason;
  if (!(failure instanceof Failure)) throw failure;
  return { ...end, reason: "stopped", failure: end.failure ?? failure };
}

type UploadLedger = UploadDependencies["ledger"];

/** The journal learns of requests when the ledger has them on disk. */
function journaled(ledger: UploadLedger, journal: RunJournal | undefined): UploadLedger {
  return {
    async saveIntents(run, intents, settled) {
      await ledger.saveIntents(run, intents, settled);
      journal?.add(intents.length);
    },
    saveOutcomes: (run, outcomes) => ledger.saveOutcomes(run, outcomes),
  };
}

/**
 * Milliseconds until the platform's word that it does not have an ambiguous record is believed; 0 where nothing is asked
 * for before it is sent again.
 */
export async function quietBeforeResend(
  { ledger }: SendHandle,
  { quietMs, steps }: Pick<Connection, "quietMs" | "steps">,
  { clock, notice }: Pick<SendOptions["dependencies"], "clock" | "notice">,
): Promise<number> {
  if (steps.every(({ status }) => status === undefined)) return 0;
  const left = quietLeftMs(quietMs, (await ledger.history()).lastGivenUpAt, clock);
  if (left > 0)
    notice(`Ambiguous records are not sent again in the next ${Math.ceil(left / 1000)} s: ${STILL_PROCESSED}`);
  return left;
}

const STILL_PROCESSED = "requests that were given up may still be processed";

/** What is left of the quiet period since a request was given up; no jump of the clock makes it longer. */
export function quietLeftMs(quietMs: number, givenUpAt: string | undefined, clock: Pick<Clock, "now">): number {
  if (givenUpAt === undefined) return 0;
  return Math.max(0, Math.min(quietMs, Date.parse(givenUpAt) + quietMs - clock.now()));
}

/** How long a run waits for a platform that does not take anything, before it ends as incomplete. */
export const MAX_PLATFORM_WAIT_MS: number = 5 * 60_000;

/** Of a job, what makes payloads of its records, and says where they go. */
export interface SendJob extends Pick<Job, "operation"> {
  readonly mapping: Pick<Job["mapping"], "map" | "locate" | "isConstant">;
}

interface SendContext extends Pick<SendOptions, "shownValues" | "until"> {
  readonly job: SendJob;
  readonly handle: SendHandle;
}

/** A run, and what sending asks of its ledger. */
export interface SendHandle {
  readonly ledger: Pick<RunHandle["ledger"], "sendable" | "history">;
  readonly run: Pick<RunHandle["run"], "id">;
}

/**
 * The records that the plan still holds as to be sent, with their payloads.
 * @throws Failure `source_changed` when a payload is no longer what was planned
 */
export async function* recordsToSend(
  rows: AsyncIterable<readonly InputRecord[]>,
  context: SendContext,
): AsyncGenerator<readonly RecordToSend[]> {
  const { ledger, run } = context.handle;
  const toSentForm = compileSentForm(context.job.operation);
  for await (const batch of rows) {
    const [first, last] = [batch[0], batch.at(-1)];
    if (first === undefined || last === undefined) continue;
    const all = await ledger.sendable(run.id, first.number, last.number);
    const due = all.filter((item) => !hasReachedStep(item, context));
    if (due.length === 0) continue;
    const byNumber = new Map(batch.map((record) => [record.number, record]));
    yield due.map((item) => recordToSend(byNumber.get(item.record), item, { ...context, toSentForm }));
  }
}

/** The same from payloads that were kept, as long as the input is what it was. */
export async function* keptRecordsToSend(
  groups: readonly KeptGroup[],
  context: SendContext & { readonly job: { readonly input: Pick<Job["input"], "refuseChanged"> } },
  signal: AbortSignal,
): AsyncGenerator<readonly RecordToSend[]> {
  const { job, handle } = context;
  await job.input.refuseChanged();
  for (const group of groups) {
    if (signal.aborted) return;
    const all = await handle.ledger.sendable(handle.run.id, group.first, group.last);
    const due = all.filter((item) => !hasReachedStep(item, context));
    if (due.length > 0) yield due.map((item) => keptRecord(group, item, context));
  }
  await job.input.refuseChanged();
}

function keptRecord(group: KeptGroup, item: SendableItem, context: SendContext): RecordToSend {
  const { job } = context;
  const json = group.payload(item.record);
  if (json === undefined) throw new Error(`The payload of record ${item.record} was not kept.`);
  const payload: JsonObject = JSON.parse(json.toString());
  const locate = locatorIn(() => group.row(item.record), payload, context);
  const { record, identity, content, attempts, isAmbiguous, step } = item;
  const supplier = supplierIn(payload, job.operation);
  const known = { record, identity, content, attempts, isAmbiguous, supplier, payload, json, locate };
  return step === undefined ? known : { ...known, step };
}

/** The step that was asked for is done, or a later one. */
export function hasReachedStep({ step }: SendableItem, { until, job }: Pick<SendContext, "until" | "job">): boolean {
  const names = job.operation.steps.map(({ name }) => name);
  return until !== undefined && step !== undefined && names.indexOf(step) >= names.indexOf(until);
}

interface RecordContext extends SendContext {
  readonly toSentForm: ReturnType<typeof compileSentForm>;
}

function recordToSend(record: InputRecord | undefined, item: SendableItem, context: RecordContext): RecordToSend {
  const { mapping, operation } = context.job;
  const mapped = record && mapping.map(record.row);
  const text = mapped && contentText(mapped.payload, mapped.parameters);
  if (
    record === undefined ||
    mapped === undefined ||
    text === undefined ||
    Buffer.compare(item.content, contentTextHash(text)) !== 0
  ) {
    throw new Failure("source_changed", `record ${item.record} is not what it was when the run was planned`, {
      hint: "the input or the mapping has changed: start again with `migrate push`",
    });
  }
  const { payload, steps, parameters } = context.toSentForm(mapped);
  const locate = locatorIn(() => record.row, payload, context);
  const isTextSent = payload === mapped.payload && parameters === undefined;
  const json = Buffer.from(isTextSent ? text : canonicalJson(payload));
  return { ...item, payload, json, steps, parameters, locate, supplier: supplierIn(payload, operation) };
}

function locatorIn(
  rowOf: () => Row | undefined,
  payload: JsonObject,
  { job: { mapping }, shownValues }: SendContext,
): RecordToSend["locate"] {
  return (path) => {
    const row = rowOf();
    const place = row && mapping.locate(row, path);
    if (place) shownValues?.noteValue(place, valueAt(payload, path));
    return place;
  };
}
