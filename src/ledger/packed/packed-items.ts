import type { PlannedItem } from "../ledger.ts";
import { columnsIn, extraOf, FLAG, type ItemColumns, keyOf, type PackedItems } from "./item-columns.ts";
import { readExtra } from "./item-extra.ts";
import { createItemPacker } from "./item-packer.ts";

const packer = createItemPacker();

export function packItems(items: readonly PlannedItem[]): PackedItems {
  for (const item of items) packer.add(item);
  return packer.take();
}

/** For items whose place in the whole input was not known when they were packed. */
export function addToRecordNumbers({ columns }: PackedItems, added: number): void {
  const { records } = columnsIn(columns);
  for (let index = 0; index < records.length; index += 1) records[index] = (records[index] ?? 0) + added;
}

export function isPacked(items: readonly PlannedItem[] | PackedItems): items is PackedItems {
  return "columns" in items;
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
