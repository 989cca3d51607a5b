import { canonicalJson, type JsonValue } from "../json/json-value.ts";

/** Whether two items are equal, regardless of the order of their fields. */
export function hasRepeats(list: readonly JsonValue[]): boolean {
  return new Set(list.map(canonicalJson)).size < list.length;
}
