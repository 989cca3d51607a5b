import type { AttrPath, AttrSegment } from "./attr.ts";
import { decimalTextOf } from "./decimal-arithmetic.ts";

export type JsonScalar = string | number | boolean | null;
export type JsonValue = JsonScalar | JsonObject | readonly JsonValue[];
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isJsonArray(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

export function isJsonScalar(value: JsonValue): value is JsonScalar {
  return typeof value !== "object" || value === null;
}

/** Whether lists and objects are nested more than `levels` deep. */
export function isNestedBeyond(value: JsonValue, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isNestedBeyond(member, levels - 1));
}

/**
 * Returns canonical JSON text: object members sorted by name, no whitespace (in the style of RFC 8785). Two payloads
 * have the same canonical text if and only if they contain the same data.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === "string") return quoted(value);
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  let text = "";
  for (const name of Object.keys(value).toSorted()) {
    text += `${text === "" ? "" : ","}${quoted(name)}:${canonicalJson(value[name] ?? null)}`;
  }
  return `{${text}}`;
}

const NEEDS_ESCAPES = /[^ !#-[\]-~]/;

function quoted(text: string): string {
  return NEEDS_ESCAPES.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Returns a JSON scalar as the text of a cell: a number without an exponent, and an empty string for null. */
export function cellTextOf(value: JsonScalar): string {
  if (typeof value === "string") return value;
  return typeof value === "number" ? decimalTextOf(value) : String(value ?? "");
}

/** Returns the value at a path of names and indexes; undefined if the path does not exist. */
export function valueAt(root: JsonValue | undefined, path: AttrPath): JsonValue | undefined {
  let value = root;
  for (const part of path) value = memberAt(value, part);
  return value;
}

/**
 * Returns an own member of an object, or an item of a list; undefined if it does not exist. A list index is a number,
 * or a string of digits as in a JSON Pointer. `length` and the empty string (which `Number` converts to 0) are not
 * indexes.
 */
export function memberAt(value: unknown, part: AttrSegment): JsonValue | undefined {
  if (isJsonArray(value)) return typeof part === "number" || /^\d{1,9}$/.test(part) ? value[Number(part)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
}
