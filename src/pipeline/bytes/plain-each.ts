import type { ListType } from "../../contract/types/field-type.ts";
import { EMPTY_LIST, withItem } from "../../ledger/records/fast-content-hash.ts";
import type { ChildRecords } from "./child-records.ts";
import { startRecord } from "./plain-cells.ts";
import { ABSENT, type PlainMaker, UNSURE } from "./plain-leaf.ts";

/**
 * A list with an item for each record of a child source.
 * @param makers for each file of the source what makes an item of a record
 */
export function eachMaker(records: ChildRecords, makers: readonly PlainMaker[], type: ListType): PlainMaker {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = type;
  return (cells) => {
    const count = records.begin(cells.number);
    if (count === 0) return ABSENT;
    if (count < minItems || count > maxItems) return UNSURE;
    let content = EMPTY_LIST;
    for (let index = 0; index < count; index += 1) {
      const file = records.goTo(index);
      const child = records.cells[file];
      const make = makers[file];
      if (child === undefined || make === undefined) return UNSURE;
      startRecord(child);
      const item = make(child);
      // One that is left with nothing is an item all the same.
      if (item < 0) return UNSURE;
      content = withItem(content, item);
      cells.made += child.made;
    }
    cells.made += 1;
    return content;
  };
}
