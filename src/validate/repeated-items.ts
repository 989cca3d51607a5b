import { canonicalJson, type JsonValue } from "../json/json-value.ts";

/** Whether two items say the same, in whatever order their fields stand. */
export function hasRepeats(list: readonly JsonValue[]): boolean {
  return new Set(list.map(canonicalJson)).size < list.length;
}
