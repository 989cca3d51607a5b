import type { CompiledJob } from "../../job/job.ts";
import type { JsonValue } from "../../json/json-value.ts";
import type { PlannedItem } from "../../ledger/records/planned-item.ts";
import type { Place } from "../../model/place.ts";
import type { InputRecord, MappedRecord } from "../../model/record.ts";
import { createItemPacker, type FastPathItems } from "../../ledger/packed/item-packer.ts";
import { packItems } from "../../ledger/packed/packed-items.ts";
import type { PackedItems } from "../../ledger/packed/item-columns.ts";
import { compileChecks, keySelection, mapRecord, prepareRecords } from "../plan/check-records.ts";
import { type BatchFindings, type BuiltBatch, createItemBuilder, type ItemSettings } from "../plan/plan-items.ts";
import { packFailure, type ThreadFailure } from "../../model/thread-failure.ts";
import type { PayloadList } from "./packed-payloads.ts";

/** Settings for checking, in addition to the job. Plain data, because they are passed to worker threads. */
export interface CheckSettings {
  readonly items: ItemSettings;
  /** Whether to collect the values of problems. */
  readonly showValues: boolean;
}

/** The answer to a task: its planned batches in order. Batches without wanted records are omitted. */
export interface CheckAnswer {
  readonly batches: readonly PackedBatch[];
  /** The failure that ended the task after these batches. */
  readonly failure?: ThreadFailure;
}

/** A planned batch in the format that threads exchange. */
export interface PackedBatch extends ShownFindings {
  readonly items: PackedItems;
}

interface ShownFindings extends BatchFindings {
  readonly shown: readonly NotedValue[];
}

/** A value to show, and the position of its item. */
type NotedValue = readonly [position: number, place: Place, attr: string, value: JsonValue];

export interface InputBatch {
  /** Records for the row path. */
  readonly records: readonly InputRecord[];
  /** Absent if the batch has no fast-path records. */
  readonly plain?: FastPathRecords | undefined;
}

/** Fast-path records, which are valid and have no problems. They are interleaved with the other records of a batch. */
interface FastPathRecords {
  /** The number of the batch's first record. */
  readonly first: number;
  readonly items: FastPathItems;
  /** For each record of the batch: its position in `items`, or -1 if it is the next record of `records`. */
  readonly order: readonly number[];
}

/**
 * Returns a function that maps and checks the records of a task and converts them to plan items, like `checkedRecords`
 * followed by `planItems`.
 * @param payloads receives the payloads of records that may be sent
 */
export function checkBatches(
  job: CompiledJob,
  { items, showValues }: CheckSettings,
  payloads?: PayloadList,
): CheckInputBatches {
  const onlyWanted = keySelection(job.settings);
  const check = createCheck(job, showValues);
  const itemsOf = createItemBuilder(job, items, payloads && (({ number }, text) => payloads.add(number, text)));
  return (batches) => {
    const made = newBatchList();
    try {
      for (const { records, plain } of batches) {
        const wanted = onlyWanted(records.map((record) => mapRecord(record, job)));
        if (wanted.length === 0 && plain === undefined) continue;
        const { records: checked, shown } = check(wanted);
        const planned = { ...itemsOf(checked), shown };
        if (plain === undefined) made.add({ ...planned, items: packItems(planned.items) });
        else made.addMixed(planned, plain);
      }
      return { batches: made.take() };
    } catch (error) {
      return { batches: made.take(), failure: packFailure(error) };
    }
  };
}

type CheckInputBatches = (batches: Iterable<InputBatch>) => CheckAnswer;

/**
 * Checks batches if the mapping calls functions. Evaluates the functions of the next batch while a batch is checked.
 */
export async function checkAfterCalls(
  job: CompiledJob,
  batches: Iterable<InputBatch>,
  checked: CheckInputBatches,
): Promise<CheckAnswer> {
  const made: PackedBatch[] = [];
  const source = batches[Symbol.iterator]();
  let begun = begin(source, job);
  while (begun !== undefined) {
    const next = begin(source, job);
    const failure = (await begun.calls) ?? addChecked(checked([begun.batch]), made);
    if (failure !== undefined) return { batches: made, failure };
    begun = next;
  }
  return { batches: made };
}

interface BegunBatch {
  readonly batch: InputBatch;
  /** Resolves to the failure, if any, when the functions have been evaluated. */
  readonly calls: Promise<ThreadFailure | undefined>;
}

/**
 * Reads the next batch and starts its calls. Returns undefined after the last batch. If reading fails, `calls` resolves
 * to the failure.
 */
function begin(source: Iterator<InputBatch>, job: CompiledJob): BegunBatch | undefined {
  try {
    const made = source.next();
    if (made.done === true) return undefined;
    const calls = prepareRecords(made.value.records, job).then(() => undefined, packFailure);
    calls.catch(() => undefined);
    return { batch: made.value, calls };
  } catch (error) {
    return { batch: { records: [] }, calls: Promise.resolve(packFailure(error)) };
  }
}

function addChecked({ batches, failure }: CheckAnswer, made: PackedBatch[]): ThreadFailure | undefined {
  made.push(...batches);
  return failure;
}

const packer = createItemPacker();

/**
 * Creates a list that merges consecutive batches that have fast-path records and no errors. A run ends early only after
 * a batch with an error, so merging does not change where the run ends.
 */
function newBatchList() {
  const list: PackedBatch[] = [];
  let open: ShownFindings | undefined;

  function close(): void {
    if (open !== undefined) list.push({ ...open, items: packer.take() });
    open = undefined;
  }

  return {
    add(batch: PackedBatch): void {
      close();
      list.push(batch);
    },
    /** Adds a batch with fast-path records, which may be interleaved with rows that were checked. */
    addMixed(made: BuiltBatch & ShownFindings, plain: FastPathRecords): void {
      const isGood = made.invalid.length === 0;
      if (!isGood) close();
      const places = packMixed(made.items, plain);
      const batch = { ...moved(made, (position) => places[position] ?? 0), count: plain.order.length };
      open = open === undefined ? batch : joined(open, batch);
      if (!isGood) close();
    },
    take(): readonly PackedBatch[] {
      close();
      return list;
    },
  };
}

/** Packs a batch in input order. Returns the positions of its row-path records. */
function packMixed(
  items: readonly PlannedItem[],
  { first, items: plainItems, order }: FastPathRecords,
): readonly number[] {
  const places: number[] = [];
  for (let position = 0; position < order.length; position += 1) {
    const at = order[position] ?? -1;
    const item = at < 0 ? items[places.length] : undefined;
    if (item === undefined) packer.addPlain(plainItems, at, first + position);
    else {
      packer.add(item);
      places.push(position);
    }
  }
  return places;
}

/** Converts the positions of the findings with `placeOf`. */
function moved(
  { count, invalid, excluded, fileCells, shown }: ShownFindings,
  placeOf: (position: number) => number,
): ShownFindings {
  const at = <T extends { readonly position: number }>(found: T): T => ({
    ...found,
    position: placeOf(found.position),
  });
  return {
    count,
    invalid: invalid.map(placeOf),
    excluded: excluded.map(at),
    fileCells: fileCells.map(at),
    shown: shown.map(([position, ...value]) => [placeOf(position), ...value] as const),
  };
}

function joined(one: ShownFindings, other: ShownFindings): ShownFindings {
  const { count, invalid, excluded, fileCells, shown } = moved(other, (position) => one.count + position);
  return {
    count: one.count + count,
    invalid: [...one.invalid, ...invalid],
    excluded: [...one.excluded, ...excluded],
    fileCells: [...one.fileCells, ...fileCells],
    shown: [...one.shown, ...shown],
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
  const check = compileChecks(job, (place, attr, value) => {
    if (value !== undefined) shown.push([position, place, attr, value]);
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
