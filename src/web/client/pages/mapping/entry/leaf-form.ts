import type { JsonObject, JsonValue } from "../../../../../json/json-value.ts";
import type { ColumnData, FieldData, MappingData } from "../../../../mapping/mapping-data.ts";

export interface EntryFormOptions {
  readonly field: FieldData;
  readonly view: MappingData;
  /** Receives all options of the entry. */
  readonly onSet: (leaf: JsonObject) => void;
}

/** An entry, and functions that change its options. */
export interface LeafForm extends EntryFormOptions {
  readonly leaf: JsonObject;
  readonly column: ColumnData | undefined;
  /** Sets options; undefined removes an option. */
  readonly change: (options: Readonly<Record<string, JsonValue | undefined>>) => void;
}

/** Returns a single string unchanged, and several strings as a list; undefined if there are none. */
export function asWritten(texts: readonly string[]): JsonValue | undefined {
  return texts.length > 1 ? texts : texts[0];
}
