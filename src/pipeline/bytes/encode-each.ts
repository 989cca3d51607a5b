import type { ListType } from "../../contract/types/field-type.ts";
import type { ChildRecords } from "./child-records.ts";
import type { ContentSink } from "./content-sink.ts";
import { startRecord } from "./fast-path-cells.ts";
import { ABSENT, type Encoder, UNCERTAIN } from "./encode-leaf.ts";

interface JoinedList {
  readonly records: ChildRecords;
  /** The encoders of an item, one for each file of the source. */
  readonly makers: readonly Encoder[];
  readonly form: ContentSink;
}

/** Encodes a list with one item for each record of a child source. */
export function eachEncoder(
  { records, makers, form }: JoinedList,
  { minItems = 0, maxItems = Number.POSITIVE_INFINITY }: ListType,
): Encoder {
  return (cells) => {
    const count = records.begin(cells.number);
    if (count === 0) return ABSENT;
    if (count < minItems || count > maxItems) return UNCERTAIN;
    let content = form.beginList();
    for (let index = 0; index < count; index += 1) {
      const file = records.goTo(index);
      const child = records.cells[file];
      const make = makers[file];
      if (child === undefined || make === undefined) return UNCERTAIN;
      startRecord(child);
      form.beginItem(index === 0);
      const item = make(child);
      // An empty child record is still an item, so `ABSENT` needs the row path.
      if (item < 0) return UNCERTAIN;
      content = form.withItem(content, item);
      cells.made += child.made;
    }
    cells.made += 1;
    form.endList();
    return content;
  };
}
