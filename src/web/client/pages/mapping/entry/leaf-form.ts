import type { JsonObject, JsonValue } from "../../../../../json/json-value.ts";
import type { ColumnData, FieldData, MappingData } from "../../../../mapping/mapping-data.ts";

export interface EntryFormOptions {
  readonly field: FieldData;
  readonly view: MappingData;
  /**
   * Receives a function that returns all options of the entry. Its argument is the entry after all earlier edits, some
   * of which may not be displayed yet.
   */
  readonly onSet: (edit: (leaf: JsonObject) => JsonObject) => void;
}

/** An entry, and functions that change its options. */
export interface LeafForm extends EntryFormOptions {
  readonly leaf: JsonObject;
  readonly column: ColumnData | undefined;
  /** Sets options, or the options that the function returns for the entry after all earlier edits. */
  readonly change: (options: LeafOptions | ((leaf: JsonObject) => LeafOptions)) => void;
}

/** Options of an entry; undefined removes an option. */
type LeafOptions = Readonly<Record<string, JsonValue | undefined>>;

/** Returns a single string unchanged, and several strings as a list; undefined if there are none. */
export function asWritten(texts: readonly string[]): JsonValue | undefined {
  return texts.length > 1 ? texts : texts[0];
}
