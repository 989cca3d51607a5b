import type { PlannedItem } from "../records/planned-item.ts";
import {
  columnsIn,
  extraOf,
  FLAG,
  type ItemColumns,
  keyOf,
  newColumns,
  type PackedItems,
  type ProblemCounts,
} from "./item-columns.ts";
import { readExtra } from "./item-extra.ts";
import { createItemPacker } from "./item-packer.ts";

const packer = createItemPacker();

export function packItems(items: readonly PlannedItem[]): PackedItems {
  for (const item of items) packer.add(item);
  return packer.take();
}

/** Shifts the record numbers of items that were packed before their position in the whole input was known. */
export function addToRecordNumbers({ columns }: PackedItems, added: number): void {
  const { records } = columnsIn(columns);
  for (let index = 0; index < records.length; index += 1) records[index] = (records[index] ?? 0) + added;
}

export function countPacked({ columns }: PackedItems): number {
  return columnsIn(columns).count;
}

/** Returns the record number of the item at this position. */
export function recordAt({ columns }: PackedItems, position: number): number {
  return columnsIn(columns).records[position] ?? 0;
}

/** Returns the identity of the item at this position; undefined if the item has none. */
export function identityAt({ columns }: PackedItems, position: number): Uint8Array | undefined {
  return readExtra(extraOf(columnsIn(columns), position)).identity;
}

/** Joins the lists in the given order. */
export function joinPacked(lists: readonly PackedItems[]): PackedItems {
  const [only] = lists;
  if (only !== undefined && lists.length === 1) return only;
  const parts = lists.map(({ columns }) => columnsIn(columns));
  const memory = newColumns({
    count: sumOf(parts, ({ count }) => count),
    keyBytes: sumOf(parts, ({ keys }) => keys.length),
    extraBytes: sumOf(parts, ({ extras }) => extras.length),
  });
  const joined = columnsIn(memory);
  const files: string[] = [];
  let [at, keysEnd, extrasEnd] = [0, 0, 0];
  for (const [index, part] of parts.entries()) {
    for (const name of COPIED) joined[name].set(part[name], at);
    for (let item = 0; item < part.count; item += 1) {
      joined.keyEnds[at + item] = keysEnd + (part.keyEnds[item] ?? 0);
      joined.extraEnds[at + item] = extrasEnd + (part.extraEnds[item] ?? 0);
      joined.fileNumbers[at + item] = files.length + (part.fileNumbers[item] ?? 0);
    }
    joined.keys.set(part.keys, keysEnd);
    joined.extras.set(part.extras, extrasEnd);
    for (const file of lists[index]?.files ?? []) files.push(file);
    at += part.count;
    keysEnd += part.keys.length;
    extrasEnd += part.extras.length;
  }
  const problems = lists.map((list) => list.problems);
  return { columns: memory, files, problems: { error: sums(problems, "error"), warning: sums(problems, "warning") } };
}

/** Columns whose values stay the same when lists are joined. */
const COPIED = ["records", "lines", "contents", "marks", "flags"] as const;

function sumOf<T>(list: readonly T[], numberOf: (one: T) => number): number {
  return list.reduce((sum, one) => sum + numberOf(one), 0);
}

function sums(counts: readonly ProblemCounts[], severity: keyof ProblemCounts): ReadonlyMap<string, number> {
  const all = new Map<string, number>();
  for (const { [severity]: byCode } of counts)
    for (const [code, count] of byCode) all.set(code, (all.get(code) ?? 0) + count);
  return all;
}

export function unpackItems({ columns: memory, files }: PackedItems): readonly PlannedItem[] {
  const columns = columnsIn(memory);
  return Array.from({ length: columns.count }, (_, index) => unpackItem(columns, index, files));
}

function unpackItem(columns: ItemColumns, index: number, files: readonly string[]): PlannedItem {
  const flag = columns.flags[index] ?? 0;
  const content = columns.contents[index] ?? Number.NaN;
  const extra = readExtra(extraOf(columns, index));
  return {
    record: columns.records[index] ?? 0,
    key: keyOf(columns, index),
    file: files[columns.fileNumbers[index] ?? 0] ?? "",
    line: columns.lines[index] ?? 0,
    status: (flag & FLAG.invalid) === 0 ? "valid" : "invalid",
    ...extra,
    content: extra.content ?? (Number.isNaN(content) ? undefined : content),
  };
}
