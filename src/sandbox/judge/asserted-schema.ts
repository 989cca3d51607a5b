import { definedMembers } from "../../json/defined-members.ts";
import { type JsonObject, type JsonValue, isJsonArray, isJsonObject, isJsonScalar } from "../../json/json-value.ts";
import { flattenSchema, valuesOf } from "./openapi-schema.ts";

/** The keywords that Ajv checks as plain JSON Schema, on the value before its conversion (docs/contract.md). */
const ASSERTED: ReadonlySet<string> = new Set([
  "not",
  "if",
  "then",
  "else",
  "dependentRequired",
  "dependentSchemas",
  "dependencies",
  "patternProperties",
  "propertyNames",
  "minProperties",
  "maxProperties",
  "contains",
  "minContains",
  "maxContains",
]);

/** Returns a plain JSON Schema with the asserted keywords of the parts; undefined if there are none. */
export function assertedSchema(parts: readonly JsonObject[]): JsonObject | undefined {
  const words = hasCompoundChoices(parts) ? new Set([...ASSERTED, "enum", "const"]) : ASSERTED;
  const asserted = parts.map((part) => assertedKeywords(part, words)).filter((part) => Object.keys(part).length > 0);
  return asserted.length === 0 ? undefined : { allOf: asserted };
}

/** Whether a list or an object is among the values that a schema allows. */
export function hasCompoundChoices(parts: readonly JsonObject[]): boolean {
  return parts.some((part) => valuesOf(part)?.some((value) => !isJsonScalar(value)) === true);
}

function assertedKeywords(part: JsonObject, words: ReadonlySet<string>): JsonObject {
  const { prefixItems, items, additionalItems = true } = part;
  const kept = Object.fromEntries(Object.entries(part).filter(([word]) => words.has(word)));
  if (isJsonArray(items)) return { ...kept, prefixItems: items, items: additionalItems };
  return prefixItems === undefined ? kept : { ...kept, ...definedMembers({ prefixItems, items }) };
}

/** Whether the first items of a list have separate schemas. */
export function isTuple({ prefixItems, items = null }: JsonObject): boolean {
  return prefixItems !== undefined || isJsonArray(items);
}

/** Returns the names of properties that the conditions of an object document. */
export function conditionalNames(parts: readonly JsonObject[], document: JsonObject): ReadonlySet<string> {
  const names = new Set<string>();
  const open = parts.flatMap((part) => branchesOf(part));
  const seen = new Set<JsonObject>();
  for (let branch = open.pop(); branch !== undefined; branch = open.pop()) {
    if (seen.has(branch)) continue;
    seen.add(branch);
    for (const part of flattenSchema(document, branch)) {
      const { properties, anyOf, oneOf } = part;
      for (const name of Object.keys(isJsonObject(properties) ? properties : {})) names.add(name);
      open.push(...branchesOf(part), ...schemasIn(anyOf), ...schemasIn(oneOf));
    }
  }
  return names;
}

/** Returns the schemas that apply to an object only under a condition. */
function branchesOf(part: JsonObject): readonly JsonObject[] {
  const { if: condition, then: consequence, else: otherwise, dependentSchemas, dependencies } = part;
  const dependent = [dependentSchemas, dependencies].filter((value) => isJsonObject(value));
  return [condition, consequence, otherwise, ...dependent.flatMap((value) => Object.values(value))].filter((schema) =>
    isJsonObject(schema),
  );
}

function schemasIn(list: JsonValue | undefined): readonly JsonObject[] {
  return isJsonArray(list) ? list.filter(isJsonObject) : [];
}
