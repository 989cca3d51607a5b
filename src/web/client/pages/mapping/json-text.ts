import { isJsonArray, type JsonValue } from "../../../../json/json-value.ts";

/** Returns a string unchanged, an empty string for undefined, and JSON for any other value. */
export function textOf(value: JsonValue | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Returns the items of a list, or a single value, as strings. */
export function textsOf(value: JsonValue | undefined): readonly string[] {
  return (value === undefined ? [] : isJsonArray(value) ? value : [value]).map(textOf);
}
