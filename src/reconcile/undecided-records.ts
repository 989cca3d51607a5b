import { contentHash } from "../ledger/records/record-hashes.ts";
import type { JsonObject } from "../json/json-value.ts";
import type { AmbiguousItem, UndecidedStatus } from "../ledger/records/requests.ts";
import { compileSentForm } from "../map/node/sent-form.ts";
import type { InputRecord, Row } from "../model/record.ts";
import { readRecords } from "../pipeline/plan/check-records.ts";
import type { RunHandle } from "../pipeline/plan/plan-records.ts";
import { inputChanged } from "../pipeline/send/records-to-send.ts";
import type { Dependencies } from "../job/dependencies.ts";
import type { Job } from "../job/job.ts";

/** An ambiguous or existing record. */
interface UndecidedItem extends AmbiguousItem {
  readonly status: UndecidedStatus;
}

/** An ambiguous or existing record, with its planned payload. */
export interface UndecidedRecord extends UndecidedItem {
  readonly payload: JsonObject;
  readonly row: Row;
}

/**
 * Minimum number of records in a group, except for the last. A group is large, because reading a list once can resolve
 * many records.
 */
const MIN_GROUP_SIZE = 5000;

export interface UndecidedContext {
  readonly job: Job;
  readonly handle: RunHandle;
  readonly dependencies: Dependencies;
}

/**
 * Yields the undecided records of a run, in groups that are looked up together.
 * @throws Failure `source_changed` if the content of a record is no longer the planned content
 */
export async function* undecidedRecords(
  context: UndecidedContext,
  statuses: readonly UndecidedStatus[],
): AsyncGenerator<readonly UndecidedRecord[]> {
  const { job, dependencies } = context;
  let group: UndecidedRecord[] = [];
  for await (const batch of readRecords(job, dependencies.drain)) {
    group.push(...(await undecidedInBatch(batch, context, statuses)));
    if (group.length < MIN_GROUP_SIZE) continue;
    yield group;
    group = [];
  }
  if (group.length > 0 && !dependencies.drain.aborted) yield group;
}

async function undecidedInBatch(
  batch: readonly InputRecord[],
  { job, handle }: UndecidedContext,
  statuses: readonly UndecidedStatus[],
): Promise<readonly UndecidedRecord[]> {
  const [first, last] = [batch[0], batch.at(-1)];
  if (first === undefined || last === undefined) return [];
  const items: UndecidedItem[] = [];
  for (const status of statuses) {
    const found = await handle.ledger[status](handle.run.id, first.number, last.number);
    items.push(...found.map((item) => ({ ...item, status })));
  }
  const toSentForm = compileSentForm(job.operation);
  const rows = new Map(items.length === 0 ? [] : batch.map(({ number, row }) => [number, row]));
  await job.mapping.prepare?.(items.flatMap((item) => rows.get(item.record) ?? []));
  const planned =
    items.length === 0 ? undefined : await handle.ledger.contents(handle.run.id, first.number, last.number);
  return items.flatMap((item) => {
    const row = rows.get(item.record);
    if (row === undefined) return [];
    const sent = toSentForm(job.mapping.map(row));
    const content = planned?.get(item.record);
    const isPlanned = content !== undefined && isSameContent(content, contentHash(sent.payload, sent.parameters));
    if (!isPlanned) throw inputChanged(item.record);
    return [{ ...item, row, ...sent }];
  });
}

/**
 * Whether the content is still the planned content. The sources may have changed during the run, but only the content
 * that was sent may be compared.
 */
function isSameContent(planned: Uint8Array, content: Uint8Array): boolean {
  return Buffer.compare(planned, content) === 0;
}
