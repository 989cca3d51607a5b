import { isJsonArray, type JsonObject, type JsonScalar, type JsonValue } from "../model/json.ts";

/** The types that a schema object names itself. */
export function typesOf(part: JsonObject): readonly string[] {
  const { type } = part;
  if (typeof type === "string") return [type];
  return type !== undefined && isJsonArray(type) ? type.filter((name) => typeof name === "string") : [];
}

/** What the keywords suggest where no type is written. */
export function impliedType(parts: readonly JsonObject[]): string | undefined {
  return TELLING.find(([, words]) => words.some((word) => parts.some((part) => word in part)))?.[0];
}

const TELLING: readonly (readonly [type: string, words: readonly string[]])[] = [
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
