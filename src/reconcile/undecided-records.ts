import { contentHash } from "../ledger/records/record-hashes.ts";
import type { JsonObject } from "../json/json-value.ts";
import type { AmbiguousItem, UndecidedStatus } from "../ledger/records/requests.ts";
import { compileSentForm } from "../map/node/sent-form.ts";
import type { InputRecord, MappedValues, Row } from "../model/record.ts";
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

/** A record whose content the platform accepted, as the ledger shows. */
export interface AcceptedRecord extends MappedValues {
  /** Number in the run's input. */
  readonly record: number;
  readonly isAsSent: true;
}

/** Undecided records that are looked up together. */
export interface UndecidedGroup {
  readonly undecided: readonly UndecidedRecord[];
  /** At most `MAX_ACCEPTED` of the accepted records that are closest to the undecided ones in the input. */
  readonly accepted: readonly AcceptedRecord[];
}

const MAX_ACCEPTED = 3;

export interface UndecidedContext {
  readonly job: Job;
  readonly handle: RunHandle;
  readonly dependencies: Dependencies;
}

/**
 * Yields the undecided records of a run, in groups that are looked up together.
 * @throws Failure `source_changed` if the content of an undecided record is no longer the planned content
 */
export async function* undecidedRecords(
  context: UndecidedContext,
  statuses: readonly UndecidedStatus[],
): AsyncGenerator<UndecidedGroup> {
  const { job, dependencies } = context;
  let undecided: UndecidedRecord[] = [];
  let accepted: AcceptedRecord[] = [];
  for await (const batch of readRecords(job, dependencies.drain)) {
    const found = await undecidedInBatch(batch, context, statuses);
    undecided.push(...found.undecided);
    accepted = [...accepted, ...found.accepted].slice(-MAX_ACCEPTED);
    if (undecided.length < MIN_GROUP_SIZE) continue;
    yield { undecided, accepted };
    undecided = [];
  }
  if (undecided.length > 0 && !dependencies.drain.aborted) yield { undecided, accepted };
}

async function undecidedInBatch(
  batch: readonly InputRecord[],
  { job, handle: { ledger, run } }: UndecidedContext,
  statuses: readonly UndecidedStatus[],
): Promise<UndecidedGroup> {
  const [first, last] = [batch[0]?.number, batch.at(-1)?.number];
  if (first === undefined || last === undefined) return NO_RECORDS;
  const items: UndecidedItem[] = [];
  for (const status of statuses) {
    const found = await ledger[status](run.id, first, last);
    items.push(...found.map((item) => ({ ...item, status })));
  }
  if (items.length === 0) return NO_RECORDS;
  const planned = await ledger.contents(run.id, first, last);
  const open = new Set(items.map(({ record }) => record));
  const settled = [...(await ledger.acceptedLast(run.id, first, last)).keys()]
    .filter((record) => !open.has(record))
    .slice(-MAX_ACCEPTED);
  const rows = new Map(batch.map(({ number, row }) => [number, row]));
  await job.mapping.prepare?.([...open, ...settled].flatMap((record) => rows.get(record) ?? []));
  const toSentForm = compileSentForm(job.operation);
  /** Returns undefined if the content has changed since the run was planned. */
  const plannedValues = (record: number, row: Row): MappedValues | undefined => {
    const sent = toSentForm(job.mapping.map(row));
    const content = planned.get(record);
    return content !== undefined && isSameContent(content, contentHash(sent.payload, sent.parameters))
      ? sent
      : undefined;
  };
  return {
    undecided: items.flatMap((item) => {
      const row = rows.get(item.record);
      if (row === undefined) return [];
      const sent = plannedValues(item.record, row);
      if (sent === undefined) throw inputChanged(item.record);
      return [{ ...item, row, ...sent }];
    }),
    accepted: settled.flatMap((record) => {
      const row = rows.get(record);
      const sent = row && plannedValues(record, row);
      return sent === undefined ? [] : [{ record, isAsSent: true, ...sent }];
    }),
  };
}

const NO_RECORDS: UndecidedGroup = { undecided: [], accepted: [] };

/**
 * Whether the content is still the planned content. The sources may have changed during the run, but only the content
 * that was sent may be compared.
 */
function isSameContent(planned: Uint8Array, content: Uint8Array): boolean {
  return Buffer.compare(planned, content) === 0;
}
