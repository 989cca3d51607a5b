import { contentHash } from "../ledger/record-hashes.ts";
import type { SendableItem } from "../ledger/ledger.ts";
import type { AttrPath } from "../json/attr.ts";
import { Failure } from "../model/failure.ts";
import { type JsonObject, valueAt } from "../json/json-value.ts";
import type { Place } from "../model/place.ts";
import type { InputRecord } from "../model/record.ts";
import type { ShownValues } from "../report/shown-values.ts";
import type { RecordToSend } from "../upload/upload-types.ts";
import type { Job } from "../job/job.ts";
import type { RunHandle } from "./plan-records.ts";

export interface SendContext {
  readonly job: Job;
  readonly handle: RunHandle;
  readonly shownValues: ShownValues | undefined;
  /** The step after which records are left as they are. */
  readonly until?: string | undefined;
}

/**
 * The records that the plan still holds as to be sent, with their payloads.
 * @throws Failure `source_changed` when a payload is no longer what was planned
 */
export async function* recordsToSend(
  rows: AsyncIterable<readonly InputRecord[]>,
  context: SendContext,
): AsyncGenerator<readonly RecordToSend[]> {
  for await (const batch of rows) {
    const [first, last] = [batch[0], batch.at(-1)];
    if (first === undefined || last === undefined) continue;
    const all = await context.handle.ledger.sendable(context.handle.run, first.number, last.number);
    const due = all.filter((item) => !hasReachedStep(item, context));
    if (due.length === 0) continue;
    const byNumber = new Map(batch.map((record) => [record.number, record]));
    yield due.map((item) => recordToSend(byNumber.get(item.record), item, context));
  }
}

/** The step that was asked for is done, or a later one. */
function hasReachedStep({ step }: SendableItem, { until, job }: SendContext): boolean {
  const names = job.operation.steps.map(({ name }) => name);
  return until !== undefined && step !== undefined && names.indexOf(step) >= names.indexOf(until);
}

function recordToSend(record: InputRecord | undefined, item: SendableItem, context: SendContext): RecordToSend {
  const { mapping } = context.job;
  const mapped = record && mapping.map(record.row);
  if (record === undefined || mapped === undefined || !sameBytes(contentHash(mapped.payload), item.content)) {
    throw new Failure("source_changed", `record ${item.record} is not what it was when the run was planned`, {
      hint: "the input or the mapping has changed: start again with `migrate push`",
    });
  }
  const { payload, steps } = mapped;
  const locate = (path: AttrPath): Place | undefined => {
    const place = mapping.locate(record.row, path);
    if (place) context.shownValues?.noteValue(place, valueAt(payload, path));
    return place;
  };
  return { ...item, payload, steps, locate, supplier: supplierIn(payload, context.job.operation) };
}

function supplierIn(payload: JsonObject, { supplier }: Job["operation"]): string | undefined {
  const code = supplier === undefined ? undefined : valueAt(payload, supplier);
  return typeof code === "string" || typeof code === "number" ? String(code) : undefined;
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
