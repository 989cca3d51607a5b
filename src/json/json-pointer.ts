import type { AttrPath } from "./attr.ts";
import { isJsonArray, isJsonObject, type JsonValue } from "./json-value.ts";

/** ["paths", "/notes/"] -> `/paths/~1notes~1` (RFC 6901). */
export function formatPointer(path: AttrPath): string {
  let pointer = "";
  for (const part of path) pointer += `/${typeof part === "string" && /[~/]/.test(part) ? escapeToken(part) : part}`;
  return pointer;
}

function escapeToken(part: string): string {
  return part.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** `#/components/schemas/A~1B` (RFC 6901 section 6) -> its path; undefined when it is no such fragment. */
export function parseFragment(fragment: string): readonly string[] | undefined {
  if (fragment === "#") return [];
  if (!fragment.startsWith("#/")) return undefined;
  try {
    const pointer = decodeURIComponent(fragment.slice(2));
    return pointer.split("/").map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  } catch {
    return undefined;
  }
}

/** What lies at the path; undefined when nothing does. */
export function valueAtPointer(root: JsonValue, path: AttrPath): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const part of path) {
    if (isJsonArray(value)) value = /^\d+$/.test(String(part)) ? value[Number(part)] : undefined;
    else value = isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return value;
}
