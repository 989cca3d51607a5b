import { canonicalJson, type JsonValue } from "../json/json-value.ts";

/** Whether a list has two equal items. The order of the fields in an item does not matter. */
export function hasRepeats(list: readonly JsonValue[]): boolean {
  return new Set(list.map(canonicalJson)).size < list.length;
}
