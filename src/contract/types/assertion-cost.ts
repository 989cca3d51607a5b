import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";
import { parseFragment } from "../../json/json-pointer.ts";

/** Maximum number of schemas against which one value is compared; an assertion that could exceed it is not enforced. */
export const MAX_EVALUATIONS = 10_000;

/** Maximum depth of validated values. */
const MAX_DEPTH = 64;

/**
 * Returns the largest number of schemas against which a single value could be compared. Counts every alternative and
 * condition, at up to `MAX_DEPTH` levels of the value. Returns `Infinity` beyond `MAX_EVALUATIONS`, and for a schema
 * that applies itself endlessly to the same value.
 * @param root a self-contained schema, with `$defs`
 */
export function countEvaluations(root: JsonObject): number {
  let below: ReadonlyMap<JsonValue, number> = new Map();
  for (let depth = 0; depth <= MAX_DEPTH; depth += 1) {
    const level = costsAt(root, below);
    const cost = level.get(root) ?? 0;
    if (cost > MAX_EVALUATIONS) return Infinity;
    if ([...level].every(([schema, count]) => below.get(schema) === count)) return cost;
    below = level;
  }
  return below.get(root) ?? 0;
}

/**
 * Returns the cost of every schema for values with one more level of nesting. `below` contains the costs without that
 * level.
 */
function costsAt(root: JsonObject, below: ReadonlyMap<JsonValue, number>): ReadonlyMap<JsonValue, number> {
  const costs = new Map<JsonValue, number>();
  const cost = (schema: JsonValue): number => {
    if (!isJsonObject(schema)) return 0;
    const known = costs.get(schema);
    if (known !== undefined) return known;
    costs.set(schema, Infinity);
    const same = sumOf(appliedHere(schema, root), cost);
    const inside = membersOf(schema["properties"]).reduce<number>((max, one) => Math.max(max, below.get(one) ?? 0), 0);
    const count = 1 + same + inside + sumOf(schemasOf(schema, INSIDE), (one) => below.get(one) ?? 0);
    costs.set(schema, count);
    return count;
  };
  const open: JsonValue[] = [root];
  const seen = new Set<JsonValue>(open);
  for (let schema = open.pop(); schema !== undefined; schema = open.pop()) {
    cost(schema);
    if (!isJsonObject(schema)) continue;
    for (const one of [
      ...appliedHere(schema, root),
      ...schemasOf(schema, INSIDE),
      ...membersOf(schema["properties"]),
    ]) {
      if (!seen.has(one)) open.push(one);
      seen.add(one);
    }
  }
  return costs;
}

function sumOf(schemas: readonly JsonValue[], cost: (schema: JsonValue) => number): number {
  return schemas.reduce<number>((sum, schema) => sum + cost(schema), 0);
}

/** Returns the subschemas that apply to the same value as the schema. */
function appliedHere(schema: JsonObject, root: JsonObject): readonly JsonValue[] {
  const reference = typeof schema["$ref"] === "string" ? parseFragment(schema["$ref"]) : undefined;
  const target = reference && valueAt(root, reference);
  return [...(target === undefined ? [] : [target]), ...schemasOf(schema, HERE)];
}

const HERE = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"];
/** Keywords with schemas that may apply to the same member or item, except `properties`. */
const INSIDE = [
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "prefixItems",
  "items",
  "contains",
  "unevaluatedItems",
];
const MAPS: ReadonlySet<string> = new Set(["dependentSchemas", "patternProperties"]);

function schemasOf(schema: JsonObject, keywords: readonly string[]): readonly JsonValue[] {
  return keywords.flatMap((keyword) => {
    const value = schema[keyword];
    if (value === undefined) return [];
    if (isJsonArray(value)) return [...value];
    return MAPS.has(keyword) ? membersOf(value) : [value];
  });
}

function membersOf(value: JsonValue | undefined): readonly JsonValue[] {
  return isJsonObject(value) ? Object.values(value) : [];
}
