import type { JsonValue } from "./json-value.ts";

/** The value that a JSON text stands for; undefined when it is not JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** A plain copy: what is left of a value after it was written as JSON and read again. */
export function jsonCopy(value: unknown): JsonValue {
  return parseJson(JSON.stringify(value ?? null)) ?? null;
}
