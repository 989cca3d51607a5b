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

/**
 * One text for one meaning: object members sorted by name, no white space (RFC 8785 in style).
 * Two payloads have the same canonical text exactly when they hold the same data.
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === "string") return quoted(value);
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  let text = "";
  for (const name of sortedNames(Object.keys(value))) {
    text += `${text === "" ? "" : ","}${quoted(name)}:${canonicalJson(value[name] ?? null)}`;
  }
  return `{${text}}`;
}

const NEEDS_ESCAPES = /[^ !#-[\]-~]/;

function quoted(text: string): string {
  return NEEDS_ESCAPES.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Above this many names `toSorted` is faster than putting each in its place. */
const SHORT_LIST = 24;

/** Sorted by UTF-16 code units; a short list in place. */
function sortedNames(names: string[]): string[] {
  if (names.length > SHORT_LIST) return names.toSorted();
  for (const [index, name] of names.entries()) {
    let place = index;
    for (let before = names[place - 1]; before !== undefined && before > name; before = names[place - 1]) {
      names[place] = before;
      place -= 1;
    }
    names[place] = name;
  }
  return names;
}

/** The value at a path of field names and indexes; undefined where the path leads nowhere. */
export function valueAt(value: JsonValue | undefined, path: readonly (string | number)[]): JsonValue | undefined {
  let current: JsonValue | undefined = value;
  for (const part of path) {
    if (isJsonArray(current)) current = typeof part === "number" ? current[part] : undefined;
    else if (isJsonObject(current)) current = Object.hasOwn(current, part) ? current[part] : undefined;
    else return undefined;
  }
  return current;
}
