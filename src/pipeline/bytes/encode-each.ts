import type { ListType } from "../../contract/types/field-type.ts";
import type { ChildRecords } from "./child-records.ts";
import type { ContentSink } from "./content-sink.ts";
import { startRecord } from "./fast-path-cells.ts";
import { ABSENT, type Encoder, UNCERTAIN } from "./encode-leaf.ts";

interface JoinedList {
  readonly records: ChildRecords;
  /** The encoders of an item, one for each file of the source. */
  readonly encoders: readonly Encoder[];
  readonly sink: ContentSink;
}

/** Encodes a list with one item for each record of a child source. */
export function eachEncoder(
  { records, encoders, sink }: JoinedList,
  { minItems = 0, maxItems = Number.POSITIVE_INFINITY }: ListType,
): Encoder {
  return (cells) => {
    const count = records.begin(cells.number);
    if (count === 0) return ABSENT;
    if (count < minItems || count > maxItems) return UNCERTAIN;
    let content = sink.beginList();
    for (let index = 0; index < count; index += 1) {
      const file = records.selectChild(index);
      const child = records.cells[file];
      const encode = encoders[file];
      if (child === undefined || encode === undefined) return UNCERTAIN;
      startRecord(child);
      sink.beginItem(index === 0);
      const item = encode(child);
      // An empty child record is still an item, so the row path must handle `ABSENT`.
      if (item < 0) return UNCERTAIN;
      content = sink.withItem(content, item);
      cells.made += child.made;
    }
    cells.made += 1;
    sink.endList();
    return content;
  };
}
