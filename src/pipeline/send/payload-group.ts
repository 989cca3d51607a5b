import type { CompiledJob } from "../../job/job.ts";
import type { InputPosition, InputRecord, Row } from "../../model/record.ts";
import type { PackedPayloads } from "../threads/packed-payloads.ts";

/** Payloads as they will be sent, and rows, by record number. */
export interface RecordPayloads {
  /** Returns the payload as canonical JSON in UTF-8; undefined if the payload must be built from the row. */
  readonly payload: (record: number) => Buffer | undefined;
  readonly row: (record: number) => Row | undefined;
}

/** Consecutive records of the input, with their payloads. */
export interface PayloadGroup extends RecordPayloads {
  /** The numbers of the first and the last record. */
  readonly first: number;
  readonly last: number;
  /** True if the records were read again, from an input that may have changed. */
  readonly isReread: boolean;
  /** The position after the group, if the input can be read from that position. */
  readonly next?: InputPosition | undefined;
}

/** Whether a record of this job consists only of its payload, without fields for steps or parameters. */
export function isBarePayload({ operation: { steps, parameters = [] }, mapping }: CompiledJob): boolean {
  return parameters.length === 0 && (steps.length === 0 || mapping.payloadNode !== undefined);
}

/** Converts batches of records into groups whose payloads must be built from their rows. */
export async function* groupsOfRows(batches: AsyncIterable<readonly InputRecord[]>): AsyncGenerator<PayloadGroup> {
  for await (const batch of batches) {
    const [first, last] = [batch[0], batch.at(-1)];
    if (first !== undefined && last !== undefined)
      yield { ...groupOfRows(batch, first.number), next: positionAfter(last) };
  }
}

/** Returns the position of the next record; undefined if the input cannot be read from that position. */
function positionAfter({ number, row, next }: InputRecord): InputPosition | undefined {
  return next && { ...next, record: number + 1, file: row.table.file };
}

/**
 * Returns a group whose payloads must be built from these rows.
 * @param first the number of the first record
 */
export function groupOfRows(records: readonly InputRecord[], first: number): PayloadGroup {
  return {
    first,
    last: first + records.length - 1,
    payload: () => undefined,
    row: (record) => records[record - first]?.row,
    isReread: true,
  };
}

/**
 * Returns a function that reads packed payloads by record number.
 * @param first the number of the first record
 */
export function payloadReader(
  { bytes, starts, ends }: PackedPayloads,
  first: number,
): (record: number) => Buffer | undefined {
  const payloads = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return (record) => {
    const end = ends[record - first] ?? 0;
    return end === 0 ? undefined : payloads.subarray(starts[record - first], end);
  };
}

/** Number of records that may have an intent at the same time when 32 requests are in flight. */
const MAX_RECORDS = 64;

/**
 * Splits groups into small groups. The first request of a run therefore does not wait for hundreds of payloads, and
 * only a few records are in memory as objects before they are sent.
 */
export async function* smallGroups(groups: AsyncIterable<PayloadGroup>): AsyncGenerator<PayloadGroup> {
  for await (const group of groups) {
    for (let first = group.first; first <= group.last; first += MAX_RECORDS) {
      yield { ...group, first, last: Math.min(group.last, first + MAX_RECORDS - 1) };
    }
  }
}
