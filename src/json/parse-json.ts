import type { JsonValue } from "./json-value.ts";

/** The value of a JSON text; undefined if it is not JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** A plain copy of a value, made by converting it to JSON text and back. */
export function jsonCopy(value: unknown): JsonValue {
  return parseJson(JSON.stringify(value ?? null)) ?? null;
}
