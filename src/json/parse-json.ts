import type { JsonValue } from "./json-value.ts";

/** Returns undefined if the text is not JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** Copies a value by converting it to JSON text and back. */
export function jsonCopy(value: unknown): JsonValue {
  return parseJson(JSON.stringify(value ?? null)) ?? null;
}
