import { type JsonObject, type JsonValue, isJsonArray, isJsonObject, valueAt } from "../../json/json-value.ts";
import {
  type Alternatives,
  alternativesIn,
  flattenSchema,
  hasNoValues,
  impliedType,
  requiredNames,
  typesOf,
  valuesOf,
} from "./openapi-schema.ts";
import { choiceOf } from "./scalar-schema.ts";

/** Converts a schema once and returns the name of its definition. */
export type Define = (schema: JsonObject) => string;

export interface Union extends Alternatives {
  readonly nullable: boolean;
}

export function convertUnion(union: Union, document: JsonObject, define: Define): JsonObject {
  const { nullable } = union;
  const shared = union.rest.filter((part) => SHARED_KEYWORDS.some((word) => word in part));
  const whole = (option: JsonObject): JsonObject => (shared.length === 0 ? option : { allOf: [option, ...shared] });
  const written = union.options.filter((option) => !isNullOnly(flattenSchema(document, option)));
  const possible = written.filter((option) => !hasNoValues(document, whole(option)));
  if (possible.length === 0) return choiceOf([], nullable);
  const flat = possible.map((option) => flattenSchema(document, option));
  const values = flat.map((parts) => parts.map(valuesOf).find((list) => list !== undefined));
  if (shared.length === 0 && values.every((list) => list !== undefined)) return choiceOf(values.flat(), nullable);

  const defineOption = (option: JsonObject): string => define(whole(option));
  const tag = valueAt(union.discriminator, ["propertyName"]);
  // The value of an undocumented tag depends on the settings of the instance, so the selected option is not known here.
  if (typeof tag === "string" && flat.some((parts) => canHaveTag(parts, tag))) {
    const mapped = optionsByTag(document, possible, { tag, discriminator: union.discriminator });
    if (mapped !== undefined) {
      const schemas = Object.fromEntries([...mapped].map(([value, option]) => [value, defineOption(option)]));
      const optional = [...mapped.values()].filter((option) => !isRequired(flattenSchema(document, option), tag));
      return { tagged: { tag, schemas, untagged: candidatesOf(optional, document, defineOption), nullable } };
    }
  }
  return { bestOf: { candidates: candidatesOf(possible, document, defineOption), nullable } };
}

/** Returns the distinct schemas that a value without a usable tag may match. */
function candidatesOf(options: readonly JsonObject[], document: JsonObject, define: Define): readonly JsonObject[] {
  const kinds = new Map(options.map((option) => [define(option), jsonKindOf(flattenSchema(document, option))]));
  return [...kinds].map(([schema, json]) => ({ schema, json }));
}

function isRequired(parts: readonly JsonObject[], name: string): boolean {
  return parts.some((part) => requiredNames(part).includes(name));
}

const SHARED_KEYWORDS: readonly string[] =
  "type enum const format properties required additionalProperties items minLength maxLength pattern minimum maximum".split(
    " ",
  );

function isNullOnly(parts: readonly JsonObject[]): boolean {
  const types = parts.flatMap(typesOf);
  if (types.length > 0) return types.every((type) => type === "null");
  const values = parts.flatMap((part) => valuesOf(part) ?? []);
  return values.length > 0 && values.every((value) => value === null);
}

function canHaveTag(parts: readonly JsonObject[], name: string): boolean {
  return parts.some(({ properties = null, additionalProperties = false }) => {
    return additionalProperties !== false || (isJsonObject(properties) && Object.hasOwn(properties, name));
  });
}

/** Returns the JSON type of the values that a schema describes; `any` if the schema does not restrict it. */
function jsonKindOf(parts: readonly JsonObject[]): "object" | "list" | "scalar" | "any" {
  if (parts.some((part) => "oneOf" in part || "anyOf" in part)) return "any";
  if (parts.some((part) => valuesOf(part) !== undefined)) return "scalar";
  const type = parts.flatMap(typesOf).find((name) => name !== "null") ?? impliedType(parts);
  if (type === undefined) return "any";
  if (type === "object") return "object";
  return type === "array" ? "list" : "scalar";
}

/** A schema that a tag can select. It contains no alternatives. */
interface Leaf {
  readonly schema: JsonObject;
  /** Tag values as text; undefined if the schema does not list them. */
  readonly tags: readonly string[] | undefined;
  /** The name of the schema's component; undefined for inline schemas and for nested alternatives. */
  readonly name: string | undefined;
}

/**
 * Maps each tag value to its schema (OpenAPI 3.0.3, Discriminator Object). Uses the mapping first, then the names of
 * the remaining options, then the values that only one option lists. Returns undefined if the tag cannot select every
 * option.
 */
function optionsByTag(
  document: JsonObject,
  options: readonly JsonObject[],
  { tag, discriminator }: { readonly tag: string; readonly discriminator: JsonValue | undefined },
): ReadonlyMap<string, JsonObject> | undefined {
  const leaves = options
    .flatMap((option) => leavesOf(document, option, tag, componentName(option)))
    .filter(({ schema }) => !hasNoValues(document, schema));
  const chosen = mappedOptions(document, discriminator, leaves);
  addNames(chosen, leaves);
  const named = new Set(chosen.keys());
  for (const { tags = [], schema } of leaves) {
    for (const value of tags) {
      const matching = leaves.filter((leaf) => leaf.tags?.includes(value));
      if (!named.has(value) && matching.length === 1) chosen.set(value, schema);
    }
  }
  return leaves.every((leaf) => isChosen(chosen, leaf)) ? chosen : undefined;
}

function addNames(chosen: Map<string, JsonObject>, leaves: readonly Leaf[]): void {
  for (const leaf of leaves) {
    const { name, tags, schema } = leaf;
    if (name === undefined || chosen.has(name) || isChosen(chosen, leaf)) continue;
    if (tags === undefined || tags.includes(name)) chosen.set(name, schema);
  }
}

function isChosen(chosen: ReadonlyMap<string, JsonObject>, { schema }: Leaf): boolean {
  return [...chosen.values()].includes(schema);
}

function mappedOptions(
  document: JsonObject,
  discriminator: JsonValue | undefined,
  leaves: readonly Leaf[],
): Map<string, JsonObject> {
  const mapping = valueAt(discriminator, ["mapping"]);
  const chosen = new Map<string, JsonObject>();
  for (const [value, written] of Object.entries(isJsonObject(mapping) ? mapping : {})) {
    if (typeof written !== "string") continue;
    const reference = /[#/]/.test(written) ? written : `#/components/schemas/${written}`;
    const leaf = leaves.find(({ schema }) => schema["$ref"] === reference);
    const schema = leaf?.schema ?? { $ref: reference };
    const isUnion = alternativesIn(flattenSchema(document, schema)) !== undefined;
    if (!isUnion && leaf?.tags?.includes(value) !== false) chosen.set(value, schema);
  }
  return chosen;
}

function leavesOf(document: JsonObject, schema: JsonObject, tag: string, name?: string): readonly Leaf[] {
  const parts = flattenSchema(document, schema);
  const alternatives = alternativesIn(parts);
  if (alternatives === undefined) return [{ schema, name, tags: tagsIn(document, parts, tag) }];
  const { options, rest } = alternatives;
  return options.flatMap((option) => leavesOf(document, { allOf: [option, ...rest] }, tag));
}

function tagsIn(document: JsonObject, parts: readonly JsonObject[], tag: string): readonly string[] | undefined {
  const schemas = parts.flatMap(({ properties }) => valueAt(properties, [tag]) ?? []).filter(isJsonObject);
  return valuesIn(document, { allOf: schemas })?.map(String);
}

/** Returns the values that every list in the parts of a schema contains; undefined if no part lists values. */
function valuesIn(document: JsonObject, schema: JsonObject): readonly JsonValue[] | undefined {
  const parts = flattenSchema(document, schema);
  const lists = parts.map(valuesOf);
  const options = alternativesIn(parts)?.options.map((option) => valuesIn(document, option)) ?? [];
  const [first, ...others] = [...lists, options.includes(undefined) ? undefined : options.flat()]
    .map((list) => (isJsonArray(list) && list.length > 0 ? list : undefined))
    .filter((list) => list !== undefined);
  return first?.flatMap((value) =>
    value !== undefined && others.every((list) => list.includes(value)) ? [value] : [],
  );
}

function componentName(option: JsonObject): string | undefined {
  const { $ref: reference } = option;
  return typeof reference === "string" ? reference.slice(reference.lastIndexOf("/") + 1) : undefined;
}
