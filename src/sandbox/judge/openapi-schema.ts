import { parseFragment } from "../../json/json-pointer.ts";
import {
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonScalar,
  type JsonValue,
  valueAt,
} from "../../json/json-value.ts";

/** Follows `$ref` (RFC 6901 pointers into the same document) until there is none; an unresolvable one is an empty object. */
export function resolveRef(document: JsonObject, node: JsonObject): JsonObject {
  let current = node;
  for (let hops = 0; typeof current["$ref"] === "string" && hops < 100; hops += 1) {
    const path = parseFragment(current["$ref"]);
    const target = path && valueAt(document, path);
    if (!isJsonObject(target)) return {};
    current = target;
  }
  return current;
}

/**
 * The schemas that a schema is made of: itself, the targets of its `$ref`, the members of its `allOf`,
 * and of theirs, each once. None of them is taken for a reference any more.
 */
export function flattenSchema(document: JsonObject, schema: JsonObject): readonly JsonObject[] {
  const parts = new Set<JsonObject>();
  const visit = (node: JsonObject): void => {
    if (parts.has(node)) return;
    parts.add(node);
    if (typeof node["$ref"] === "string") visit(resolveRef(document, node));
    const members = node["allOf"];
    if (isJsonArray(members)) members.filter(isJsonObject).forEach(visit);
  };
  visit(schema);
  return [...parts];
}

/** The types that a schema object names itself. */
export function typesOf(part: JsonObject): readonly string[] {
  const { type } = part;
  if (typeof type === "string") return [type];
  return type !== undefined && isJsonArray(type) ? type.filter((name) => typeof name === "string") : [];
}

/** What the keywords suggest where no type is written. */
export function impliedType(parts: readonly JsonObject[]): string | undefined {
  return TYPE_INDICATORS.find(([, words]) => words.some((word) => parts.some((part) => word in part)))?.[0];
}

const TYPE_INDICATORS: readonly (readonly [type: string, words: readonly string[]])[] = [
  ["object", ["properties", "additionalProperties"]],
  ["array", ["items"]],
  ["string", ["maxLength", "minLength", "pattern", "format"]],
];

/** `nullable` nearest to the field (OpenAPI 3.0), else null among the types (3.1), else among the values of an untyped `enum`. */
export function isNullable(parts: readonly JsonObject[]): boolean {
  const written = parts.map((part) => part["nullable"]).find((value) => typeof value === "boolean");
  if (typeof written === "boolean") return written;
  const typed = parts.filter((part) => typesOf(part).length > 0);
  if (typed.length > 0) return typed.every((part) => typesOf(part).includes("null"));
  return parts.some((part) => valuesOf(part)?.includes(null) ?? false);
}

/** The values that `enum` or `const` allow. */
export function valuesOf({ const: only, enum: several }: JsonObject): readonly JsonValue[] | undefined {
  if (only !== undefined) return [only];
  return several !== undefined && isJsonArray(several) ? several : undefined;
}

export function isScalar(value: JsonValue): value is JsonScalar {
  return typeof value !== "object" || value === null;
}
