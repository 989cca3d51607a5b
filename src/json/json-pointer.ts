import type { AttrPath } from "./attr.ts";

/** ["paths", "/notes/"] -> `/paths/~1notes~1` (RFC 6901). */
export function formatPointer(path: AttrPath): string {
  let pointer = "";
  for (const part of path) pointer += `/${typeof part === "string" && /[~/]/.test(part) ? escapeToken(part) : part}`;
  return pointer;
}

/** `/paths/~1notes~1` -> ["paths", "/notes/"] (RFC 6901). */
export function parsePointer(pointer: string): readonly string[] {
  const [, ...tokens] = pointer.split("/");
  return tokens.map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/**
 * `#/components/schemas/A~1B` (RFC 6901 section 6) -> ["components", "schemas", "A/B"]; undefined for any other text.
 */
export function parseFragment(fragment: string): readonly string[] | undefined {
  if (fragment !== "#" && !fragment.startsWith("#/")) return undefined;
  try {
    return parsePointer(decodeURIComponent(fragment.slice(1)));
  } catch {
    return undefined;
  }
}

function escapeToken(part: string): string {
  return part.replaceAll("~", "~0").replaceAll("/", "~1");
}
