import type { AttrPath } from "./attr.ts";
import { isJsonScalar, type JsonValue } from "./json-value.ts";

/** Formats a JSON Pointer (RFC 6901): ["paths", "/notes/"] -> `/paths/~1notes~1`. */
export function formatPointer(path: AttrPath): string {
  let pointer = "";
  for (const part of path) pointer += `/${typeof part === "string" && /[~/]/.test(part) ? escapeToken(part) : part}`;
  return pointer;
}

/** Parses a JSON Pointer (RFC 6901): `/paths/~1notes~1` -> ["paths", "/notes/"]. */
export function parsePointer(pointer: string): readonly string[] {
  const [, ...tokens] = pointer.split("/");
  return tokens.map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/**
 * Parses a JSON Pointer in a URI fragment (RFC 6901 section 6): `#/components/schemas/A~1B` -> ["components",
 * "schemas", "A/B"]. Returns undefined for any other text.
 */
export function parseFragment(fragment: string): readonly string[] | undefined {
  if (fragment !== "#" && !fragment.startsWith("#/")) return undefined;
  try {
    return parsePointer(decodeURIComponent(fragment.slice(1)));
  } catch {
    return undefined;
  }
}

/** Whether a pointer points to the value at `other`, or to a value in it. */
export function isAtOrIn(pointer: string, other: string): boolean {
  return pointer === other || pointer.startsWith(`${other}/`);
}

/** Returns the scalars in a value, and the lists and objects without members, with their paths. */
export function leavesOf(
  value: JsonValue,
  path: AttrPath = [],
): readonly (readonly [path: AttrPath, leaf: JsonValue])[] {
  const members = isJsonScalar(value) ? [] : Object.entries(value);
  if (members.length === 0) return [[path, value]];
  return members.flatMap(([name, member]) => leavesOf(member, [...path, name]));
}

function escapeToken(part: string): string {
  return part.replaceAll("~", "~0").replaceAll("/", "~1");
}
