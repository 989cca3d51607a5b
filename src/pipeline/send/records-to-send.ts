import { completedName } from "../../contract/operations/completed-step.ts";
import type { Operation } from "../../contract/operations/operation.ts";
import { supplierIn } from "../../job/settings/supplier-settings.ts";
import { type AttrPath, formatAttr } from "../../json/attr.ts";
import { canonicalJson, type JsonObject, valueAt } from "../../json/json-value.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { SendableItem } from "../../ledger/records/requests.ts";
import { contentText, contentTextHash } from "../../ledger/records/record-hashes.ts";
import type { Mapping } from "../../map/mapping.ts";
import { compileSentForm } from "../../map/node/sent-form.ts";
import { CHANGED_KEYS_HINT } from "../../job/settings/recorded-files.ts";
import { Failure } from "../../model/failure.ts";
import type { Row } from "../../model/record.ts";
import type { ShownValues } from "../../report/shown-values.ts";
import type { RecordToSend } from "../../upload/upload-types.ts";
import type { PayloadGroup } from "./payload-group.ts";

/** The parts of a job that build the payloads of records and determine their destination. */
export interface SendJob {
  readonly operation: Operation;
  readonly mapping: Pick<Mapping, "map" | "prepare" | "locate" | "isConstant">;
  readonly accountOwner?: AttrPath;
}

/** A run, and the part of its ledger that sending needs. */
export interface SendHandle {
  readonly ledger: Pick<Ledger, "sendable">;
  readonly run: { readonly id: string };
}

export interface SendContext {
  readonly job: SendJob;
  readonly handle: SendHandle;
  /** Collects the values of problems if the user chose to show them. */
  readonly shownValues?: ShownValues | undefined;
  /** Name of the last workflow step to run. */
  readonly until?: string | undefined;
  /** Called for each record to send that has a completed step in the ledger, with this step as stored there. */
  readonly noteDue?: ((record: number, completed: string) => void) | undefined;
}

/**
 * Yields the records that the plan still lists for sending, with their payloads.
 * @throws Failure `source_changed` if a payload differs from the plan
 */
export async function* recordsToSend(
  groups: AsyncIterable<PayloadGroup>,
  context: SendContext,
): AsyncGenerator<readonly RecordToSend[]> {
  const ofRow = rowSender(context);
  for await (const group of groups) {
    const { ledger, run } = context.handle;
    const due = await ledger.sendable(run.id, group.first, group.last);
    if (due.length === 0) continue;
    const known = due.map((item) => ofPayload(group, item, context));
    const rows = due.map((item, index) => (known[index] === undefined ? group.row(item.record) : undefined));
    await context.job.mapping.prepare?.(rows.filter((row) => row !== undefined));
    const records = due.map((item, index) => known[index] ?? ofRow(rows[index], item));
    const left = records.map(({ step }) => !hasReachedStep(step, context));
    for (const [index, { record, step }] of due.entries())
      if (left[index] === true && step !== undefined) context.noteDue?.(record, step);
    yield records.filter((_, index) => left[index]);
  }
}

/** The last step to run, and the steps of the operation. */
export interface StepLimit {
  readonly until?: string | undefined;
  readonly job: { readonly operation: Pick<Operation, "steps"> };
}

/** Whether `step` is the step `until` or a later one. */
export function hasReachedStep(step: string | undefined, { until, job }: StepLimit): boolean {
  const names = job.operation.steps.map(({ name }) => name);
  return until !== undefined && step !== undefined && names.indexOf(step) >= names.indexOf(until);
}

/** Returns the record with the payload from its group; undefined if the payload must be built from the row. */
function ofPayload(group: PayloadGroup, item: SendableItem, context: SendContext): RecordToSend | undefined {
  const { record } = item;
  const json = group.payload(record);
  if (json === undefined) return undefined;
  const rowOf = (): Row | undefined => group.row(record);
  // Kept payloads stay in memory until the run ends, so there is nothing to release.
  if (!group.isReread) return withPayload({ json, rowOf, detached: undefined }, item, context);
  requirePlanned(item, json);
  const detached = (): RecordToSend =>
    withPayload({ json: Buffer.from(json), rowOf: cacheRow(rowOf()), detached: undefined }, item, context);
  return withPayload({ json, rowOf, detached }, item, context);
}

type RowOf = () => Row | undefined;

/**
 * Keeps the row. This is a separate function, because closures in the same scope keep every variable in memory that any
 * of them captures.
 */
function cacheRow(row: Row | undefined): RowOf {
  return () => row;
}

interface BuiltPayload {
  readonly json: Buffer;
  readonly rowOf: RowOf;
  readonly detached: RecordToSend["detached"];
}

function withPayload({ json, rowOf, detached }: BuiltPayload, item: SendableItem, context: SendContext): RecordToSend {
  const payload: JsonObject = JSON.parse(json.toString());
  const locate = locatorIn(rowOf, payload, context);
  const { step: completed, ...known } = item;
  const step = completedName(completed, context.job.operation.steps, undefined);
  const supplier = supplierIn(payload, context.job.operation);
  return { ...known, ...(step !== undefined && { step }), supplier, payload, json, locate, detached };
}

function rowSender(context: SendContext): (row: Row | undefined, item: SendableItem) => RecordToSend {
  const { mapping, operation } = context.job;
  const toSentForm = compileSentForm(operation);
  return (row, { step: completed, ...item }) => {
    if (row === undefined) throw inputChanged(item.record);
    const { payload, steps, parameters } = toSentForm(mapping.map(row));
    const text = contentText(payload, parameters);
    requirePlanned(item, text);
    const locate = locatorIn(() => row, payload, context);
    const json = Buffer.from(parameters === undefined ? text : canonicalJson(payload));
    const step = completedName(completed, operation.steps, steps);
    const supplier = supplierIn(payload, operation);
    return { ...item, ...(step !== undefined && { step }), payload, json, steps, parameters, locate, supplier };
  };
}

/**
 * Checks that a payload is the planned payload.
 * @param text the record's `contentText`
 * @throws Failure `source_changed` if it differs
 */
function requirePlanned(item: SendableItem, text: string | Uint8Array): void {
  if (Buffer.compare(item.content, contentTextHash(text)) !== 0) throw inputChanged(item.record);
}

/** Returns the failure for a record whose payload differs from the plan. */
export function inputChanged(record: number): Failure {
  return new Failure("source_changed", `record ${record} has changed since the run was planned`, {
    hint: `the input, or a file or function that the mapping uses, has changed: ${CHANGED_KEYS_HINT}`,
  });
}

function locatorIn(
  rowOf: RowOf,
  payload: JsonObject,
  { job: { mapping }, shownValues }: SendContext,
): RecordToSend["locate"] {
  return (path) => {
    const row = rowOf();
    const place = row && mapping.locate(row, path);
    if (place) shownValues?.noteValue(place, formatAttr(path), valueAt(payload, path));
    return place;
  };
}
