import type { CompiledJob } from "../../job/job.ts";
import type { JsonValue } from "../../json/json-value.ts";
import type { Place } from "../../model/place.ts";
import type { InputRecord, MappedRecord } from "../../model/record.ts";
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

/** Maps and checks the records of tasks, and makes planned items of them: `checkedRecords` and `planItems` in one. */
export function checkBatches(
  job: CompiledJob,
  { items, showValues }: CheckSettings,
): (batches: Iterable<readonly InputRecord[]>) => CheckAnswer {
  const onlyWanted = keySelection(job.settings);
  const check = createCheck(job, showValues);
  const itemsOf = createItemMaker(job, items);
  return (batches) => {
    const made: PackedBatch[] = [];
    try {
      for (const batch of batches) {
        const wanted = onlyWanted(batch.map((record) => mapRecord(record, job)));
        if (wanted.length === 0) continue;
        const { records, shown } = check(wanted);
        const planned = itemsOf(records);
        made.push({ ...planned, items: packItems(planned.items), shown });
      }
      return { batches: made };
    } catch (error) {
      return { batches: made, failure: packFailure(error) };
    }
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
