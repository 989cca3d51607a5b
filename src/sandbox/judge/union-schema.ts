import { isJsonObject, type JsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";
import { choiceOf } from "./scalar-schema.ts";
import { optionsByTag } from "./tagged-options.ts";
import { flattenSchema, hasNoValues, impliedType, requiredNames, typesOf, valuesOf } from "./openapi-schema.ts";

/** Converts a schema once and returns the name of its definition. */
export type Define = (schema: JsonObject) => string;

/** The parts of a schema with `oneOf` or `anyOf`. */
export interface Union {
  readonly options: readonly JsonObject[];
  /** Schemas next to the options. They apply to every option. */
  readonly rest: readonly JsonObject[];
  readonly nullable: boolean;
  readonly discriminator: JsonValue | undefined;
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
  // A tag that no option documents depends on the instance's settings, so the selected option is not known here.
  if (typeof tag === "string" && flat.some((parts) => canHaveTag(parts, tag))) {
    const mapped = optionsByTag(document, possible, { tag, discriminator: union.discriminator });
    if (mapped === undefined)
      return { bestOf: { candidates: candidatesOf(possible, document, defineOption), nullable } };
    const schemas = Object.fromEntries([...mapped].map(([value, option]) => [value, defineOption(option)]));
    const optional = [...mapped.values()].filter((option) => !isRequired(flattenSchema(document, option), tag));
    const untagged = candidatesOf(optional, document, defineOption);
    return { tagged: { tag, schemas, untagged, nullable } };
  }
  return { bestOf: { candidates: candidatesOf(possible, document, defineOption), nullable } };
}

/** The distinct schemas that a value without a usable tag may match. */
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

/** The JSON type of the values that a schema describes. `any` if the schema does not restrict it. */
function jsonKindOf(parts: readonly JsonObject[]): "object" | "list" | "scalar" | "any" {
  if (parts.some((part) => "oneOf" in part || "anyOf" in part)) return "any";
  if (parts.some((part) => valuesOf(part) !== undefined)) return "scalar";
  const type = parts.flatMap(typesOf).find((name) => name !== "null") ?? impliedType(parts);
  if (type === undefined) return "any";
  if (type === "object") return "object";
  return type === "array" ? "list" : "scalar";
}
