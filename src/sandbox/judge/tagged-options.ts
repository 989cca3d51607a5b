import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";
import { alternativesIn, flattenSchema, hasNoValues, valuesOf } from "./openapi-schema.ts";

/** A schema that a tag can select. It does not contain alternatives itself. */
interface Leaf {
  readonly schema: JsonObject;
  /** Tag values as text. Undefined if the schema does not list them. */
  readonly tags: readonly string[] | undefined;
  /** The name of the schema's component. */
  readonly name: string | undefined;
}

/**
 * Maps each tag value to its schema (OpenAPI 3.0.3, Discriminator Object): by the mapping, by the names of the other
 * options, and by the values that only one option lists. Undefined if the tag cannot select every option.
 */
export function optionsByTag(
  document: JsonObject,
  options: readonly JsonObject[],
  { tag, discriminator }: { readonly tag: string; readonly discriminator: JsonValue | undefined },
): ReadonlyMap<string, JsonObject> | undefined {
  const leaves = options
    .flatMap((option) => leavesOf(document, option, tag, componentName(option)))
    .filter(({ schema }) => !hasNoValues(document, schema));
  const chosen = mapped(document, discriminator, leaves);
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

function mapped(
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

/** The values that a schema lists, in any of its parts. */
function valuesIn(document: JsonObject, schema: JsonObject): readonly JsonValue[] | undefined {
  const parts = flattenSchema(document, schema);
  const lists = parts.map(valuesOf);
  const options = alternativesIn(parts)?.options.map((option) => valuesIn(document, option)) ?? [];
  const [first, ...others] = [...lists, options.includes(undefined) ? undefined : options.flat()]
    .map((list) => (list !== undefined && isJsonArray(list) && list.length > 0 ? list : undefined))
    .filter((list) => list !== undefined);
  return first?.flatMap((value) =>
    value !== undefined && others.every((list) => list.includes(value)) ? [value] : [],
  );
}

function componentName(option: JsonObject): string | undefined {
  const { $ref: reference } = option;
  return typeof reference === "string" ? reference.slice(reference.lastIndexOf("/") + 1) : undefined;
}
