import type { AttrPath } from "../../json/attr.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json/json-value.ts";
import { followReference, type Compilation } from "../types/schema-node.ts";

export interface DocumentPart {
  readonly value: JsonObject;
  readonly path: AttrPath;
}

/**
 * Returns the part at the path or the target of its `$ref`. Returns undefined if the part is not an object or the
 * reference is broken.
 */
export function dereferenced(
  value: JsonValue | undefined,
  path: AttrPath,
  { document, findings }: Compilation,
): DocumentPart | undefined {
  if (!isJsonObject(value)) return undefined;
  if (!Object.hasOwn(value, "$ref")) return { value, path };
  const target = followReference(document, value["$ref"], [...path, "$ref"], findings);
  return target && { value: target.schema, path: target.path };
}

/** Returns the first JSON media type, such as `application/json` or `application/problem+json; charset=utf-8`. */
export function jsonMediaType(names: readonly string[]): string | undefined {
  return names.find((name) => /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(name));
}
