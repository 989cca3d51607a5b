import { isJsonArray, type JsonValue } from "../../../../json/json-value.ts";

/** Returns the text of a scalar, an empty text for undefined, and JSON for any other value. */
export function textOf(value: JsonValue | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Returns the texts of the items of a list, or of a scalar. */
export function textsOf(value: JsonValue | undefined): readonly string[] {
  return (value === undefined ? [] : isJsonArray(value) ? value : [value]).map(textOf);
}
