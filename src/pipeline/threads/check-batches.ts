import type { CompiledJob } from "../../job/job.ts";
import type { JsonValue } from "../../json/json-value.ts";
import type { Place } from "../../model/place.ts";
import type { InputRecord, MappedRecord } from "../../model/record.ts";
import { createItemPacker, type PlainItems } from "../../ledger/packed/item-packer.ts";
import { packItems } from "../../ledger/packed/packed-items.ts";
import type { PackedItems } from "../../ledger/packed/item-columns.ts";
import { compileChecks, keySelection, mapRecord } from "../plan/check-records.ts";
import { createItemMaker, type ItemSettings, type PlannedBatch } from "../plan/plan-items.ts";
import { packFailure, type ThreadFailure } from "../../model/thread-failure.ts";

/** What checking needs to know beside the job. Plain data. */
export interface CheckSettings {
  readonly items: ItemSettings;
  /** The values of problems are noted. */
  readonly showValues: boolean;
}

/** What came of a task: a batch for each batch of its records in which some are wanted. */
export interface CheckAnswer {
  readonly batches: readonly PackedBatch[];
  /** Behind the batches: nothing more comes of the task. */
  readonly failure?: ThreadFailure;
}

/** A planned batch as it is sent to another thread. */
export interface PackedBatch extends Omit<PlannedBatch, "items"> {
  readonly items: PackedItems;
  readonly shown: readonly NotedValue[];
}

/** A value to be shown, and the position of the item that it is of. */
type NotedValue = readonly [position: number, place: Place, value: JsonValue];

/** Records that belong together. */
export interface InputBatch {
  /** Those that are to be made and checked. */
  readonly records: readonly InputRecord[];
  /** Absent where these are all of them. */
  readonly plain?: PlainRecords | undefined;
}

/** Valid records with nothing to say about them, which stand between the others of a batch. */
interface PlainRecords {
  /** The number of the batch's first record. */
  readonly first: number;
  readonly items: PlainItems;
  /** For each record of the batch its position in the items; -1: it is the next one of the others. */
  readonly order: readonly number[];
}

/** Maps and checks the records of tasks, and makes planned items of them: `checkedRecords` and `planItems` in one. */
export function checkBatches(
  job: CompiledJob,
  { items, showValues }: CheckSettings,
): (batches: Iterable<InputBatch>) => CheckAnswer {
  const onlyWanted = keySelection(job.settings);
  const check = createCheck(job, showValues);
  const itemsOf = createItemMaker(job, items);
  return (batches) => {
    const made: PackedBatch[] = [];
    try {
      for (const { records, plain } of batches) {
        const wanted = onlyWanted(records.map((record) => mapRecord(record, job)));
        if (wanted.length === 0 && plain === undefined) continue;
        const { records: checked, shown } = check(wanted);
        const planned = itemsOf(checked);
        made.push(
          plain === undefined ? { ...planned, items: packItems(planned.items), shown } : merged(planned, shown, plain),
        );
      }
      return { batches: made };
    } catch (error) {
      return { batches: made, failure: packFailure(error) };
    }
  };
}

const packer = createItemPacker();

/** Everything in its place. */
function merged(
  { items, invalid, excluded, keyColumns }: ReturnType<ReturnType<typeof createItemMaker>>,
  shown: readonly NotedValue[],
  { first, items: plainItems, order }: PlainRecords,
): PackedBatch {
  const places: number[] = [];
  for (const [position, at] of order.entries()) {
    const item = at < 0 ? items[places.length] : undefined;
    if (item === undefined) packer.addPlain(plainItems, at, first + position);
    else {
      packer.add(item);
      places.push(position);
    }
  }
  const placeOf = (position: number): number => places[position] ?? 0;
  const placed = <T extends { readonly position: number }>(found: T): T => ({
    ...found,
    position: placeOf(found.position),
  });
  return {
    count: order.length,
    items: packer.take(),
    invalid: invalid.map(placeOf),
    excluded: excluded.map(placed),
    keyColumns: keyColumns.map(placed),
    shown: shown.map(([position, ...value]) => [placeOf(position), ...value] as const),
  };
}
interface CheckedBatch {
  readonly records: readonly MappedRecord[];
  readonly shown: readonly NotedValue[];
}

function createCheck(job: CompiledJob, showValues: boolean): (batch: readonly MappedRecord[]) => CheckedBatch {
  if (!showValues) {
    const check = compileChecks(job, undefined);
    return (batch) => ({ records: check(batch), shown: [] });
  }
  let shown: NotedValue[] = [];
  let position = 0;
  const check = compileChecks(job, {
    noteValue: (place, value) => {
      if (value !== undefined) shown.push([position, place, value]);
    },
  });
  return (batch) => {
    shown = [];
    const records = batch.flatMap((record, index) => {
      position = index;
      return check([record]);
    });
    return { records, shown };
  };
}
