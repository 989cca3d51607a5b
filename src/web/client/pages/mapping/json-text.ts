import { isJsonArray, type JsonValue } from "../../../../json/json-value.ts";

/** The text of a scalar; anything else as JSON. Undefined is empty. */
export function textOf(value: JsonValue | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The texts of a scalar or a list. */
export function textsOf(value: JsonValue | undefined): readonly string[] {
  return (value === undefined ? [] : isJsonArray(value) ? value : [value]).map(textOf);
}
