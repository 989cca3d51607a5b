import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";
import { choiceOf } from "./scalar-schema.ts";
import { flattenSchema, impliedType, isNullable, typesOf, valuesOf } from "./openapi-schema.ts";

/** Converts a schema once, and gives the name of its definition. */
export type Define = (schema: JsonObject) => string;

/** A schema with `oneOf` or `anyOf`, taken apart. */
export interface Union {
  readonly options: readonly JsonObject[];
  /** What stands beside the options and holds for each of them. */
  readonly rest: readonly JsonObject[];
  readonly nullable: boolean;
  readonly discriminator: JsonValue | undefined;
}

export function convertUnion(union: Union, document: JsonObject, define: Define): JsonObject {
  const flat = union.options.map((option) => flattenSchema(document, option));
  const options = union.options.filter((_, index) => !isNullOnly(flat[index] ?? []));
  const nullable = union.nullable || options.length < flat.length || flat.some(isNullable);
  const values = flat.map((parts) => parts.map(valuesOf).find((list) => list !== undefined));
  if (values.every((list) => list !== undefined)) return choiceOf(values.flat(), nullable);

  const shared = union.rest.filter((part) => SHARED_KEYWORDS.some((word) => word in part));
  const defineOption = (option: JsonObject): string =>
    define(shared.length === 0 ? option : { allOf: [option, ...shared] });
  const tag = valueAt(union.discriminator, ["propertyName"]);
  // A name that no option documents is that of a setting: which option the instance takes is then not known here.
  if (typeof tag === "string" && flat.some((parts) => canCarry(parts, tag))) {
    const mapped = mappedOptions(union.discriminator, options);
    const schemas = Object.fromEntries([...mapped].map(([value, option]) => [value, defineOption(option)]));
    const mayBeLeftOut = [...mapped.values()].every((option) => isOptional(flattenSchema(document, option), tag));
    const untagged = mayBeLeftOut ? candidatesOf([...mapped.values()], document, defineOption) : [];
    return { tagged: { tag, schemas, untagged, nullable } };
  }
  return { bestOf: { candidates: candidatesOf(options, document, defineOption), nullable } };
}

/** What a value may be where no tag tells, each once. */
function candidatesOf(options: readonly JsonObject[], document: JsonObject, define: Define): readonly JsonObject[] {
  const kinds = new Map(options.map((option) => [define(option), jsonKindOf(flattenSchema(document, option))]));
  return [...kinds].map(([schema, json]) => ({ schema, json }));
}

/** Documented, and not required. */
function isOptional(parts: readonly JsonObject[], name: string): boolean {
  const isIn = (part: JsonObject, keyword: string): boolean => {
    const names = part[keyword];
    if (isJsonArray(names)) return names.includes(name);
    return names !== undefined && isJsonObject(names) && Object.hasOwn(names, name);
  };
  return parts.some((part) => isIn(part, "properties")) && !parts.some((part) => isIn(part, "required"));
}

const SHARED_KEYWORDS = ["properties", "required", "minLength", "maxLength", "pattern", "minimum", "maximum"];

function isNullOnly(parts: readonly JsonObject[]): boolean {
  const types = parts.flatMap(typesOf);
  if (types.length > 0) return types.every((type) => type === "null");
  const values = parts.flatMap((part) => valuesOf(part) ?? []);
  return values.length > 0 && values.every((value) => value === null);
}

function canCarry(parts: readonly JsonObject[], name: string): boolean {
  return parts.some(({ properties = null, additionalProperties = false }) => {
    return additionalProperties !== false || (isJsonObject(properties) && Object.hasOwn(properties, name));
  });
}

/** OpenAPI 3.0.3, Discriminator Object: the written mapping, and schema names for the options that it leaves out. */
function mappedOptions(
  discriminator: JsonValue | undefined,
  options: readonly JsonObject[],
): ReadonlyMap<string, JsonObject> {
  const mapping = valueAt(discriminator, ["mapping"]);
  const written = Object.entries(isJsonObject(mapping) ? mapping : {}).flatMap(([value, ref]): [string, JsonObject][] =>
    typeof ref === "string" ? [[value, { $ref: fullReference(ref) }]] : [],
  );
  const used = new Set(written.map(([, option]) => option["$ref"]));
  const named = options.flatMap((option): [string, JsonObject][] => {
    const ref = option["$ref"];
    return typeof ref === "string" && !used.has(ref) ? [[ref.slice(ref.lastIndexOf("/") + 1), option]] : [];
  });
  return new Map([...written, ...named]);
}

function fullReference(ref: string): string {
  return /[#/]/.test(ref) ? ref : `#/components/schemas/${ref}`;
}

/** The JSON type of the values that a schema describes; undefined where it leaves that open. */
function jsonKindOf(parts: readonly JsonObject[]): "object" | "list" | "scalar" | "any" {
  if (parts.some((part) => "oneOf" in part || "anyOf" in part)) return "any";
  if (parts.some((part) => valuesOf(part) !== undefined)) return "scalar";
  const type = parts.flatMap(typesOf).find((name) => name !== "null") ?? impliedType(parts);
  if (type === undefined) return "any";
  if (type === "object") return "object";
  return type === "array" ? "list" : "scalar";
}
