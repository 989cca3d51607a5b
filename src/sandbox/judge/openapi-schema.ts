import { parseFragment } from "../../json/json-pointer.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";

/**
 * Follows a `$ref`, an RFC 6901 pointer into the same document. Returns an empty object for an unresolvable
 * reference.
 */
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

/** Returns the object at a path of names; undefined if there is none. Follows each `$ref` on the path. */
export function objectAt(document: JsonObject, from: JsonObject, path: readonly string[]): JsonObject | undefined {
  let found = from;
  for (const name of path) {
    const next = found[name];
    if (!isJsonObject(next)) return undefined;
    found = resolveRef(document, next);
  }
  return found;
}

/**
 * Returns the schemas that a schema consists of, without repetitions: the schema itself, the targets of its `$ref`, the
 * members of its `allOf`, and recursively the parts of these schemas. A returned schema may still contain a `$ref`,
 * whose target is also among the returned schemas.
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

/** Returns the types that a schema object itself names. Ignores its parts. */
export function typesOf(part: JsonObject): readonly string[] {
  const { type } = part;
  if (typeof type === "string") return [type];
  return isJsonArray(type) ? type.filter((name) => typeof name === "string") : [];
}

/** Returns the types that all parts allow; undefined if no part names a type. */
export function sharedTypes(parts: readonly JsonObject[]): readonly string[] | undefined {
  const lists = parts.map(typesOf).filter((types) => types.length > 0);
  const [first, ...others] = lists;
  if (first === undefined) return undefined;
  return [...new Set(lists.flat())].filter((type) => [first, ...others].every((types) => isTypeIn(type, types)));
}

function isTypeIn(type: string, types: readonly string[]): boolean {
  return types.includes(type) || (type === "integer" && types.includes("number"));
}

/** The parts of a schema with `oneOf` or `anyOf`. */
export interface Alternatives {
  readonly options: readonly JsonObject[];
  /** Schemas next to the options. They apply to every option. */
  readonly rest: readonly JsonObject[];
  readonly discriminator: JsonValue | undefined;
}

/**
 * Returns the options of the first `oneOf` or `anyOf` in the parts of a schema, and the remaining keywords of the
 * parts. Returns undefined if there are no options.
 */
export function alternativesIn(parts: readonly JsonObject[]): Alternatives | undefined {
  const owner = parts.find((part) => isJsonArray(part["oneOf"] ?? part["anyOf"]));
  const options = owner?.["oneOf"] ?? owner?.["anyOf"];
  if (!isJsonArray(options)) return undefined;
  const rest = parts.map((part) => omitKeywords(part, APPLICATORS));
  return { options: options.filter(isJsonObject), rest, discriminator: owner?.["discriminator"] };
}

export function omitKeywords(schema: JsonObject, words: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([word]) => !words.has(word)));
}

const APPLICATORS: ReadonlySet<string> = new Set(["oneOf", "anyOf", "discriminator", "allOf", "$ref"]);

/** Whether the parts of a schema contradict each other, so that no value is valid. */
export function hasNoValues(document: JsonObject, schema: JsonObject, above: readonly JsonObject[] = []): boolean {
  if (above.includes(schema)) return false;
  const inside = [...above, schema];
  const parts = flattenSchema(document, schema);
  if (excludeEachOther(parts)) return true;
  const { options = [], rest = [] } = alternativesIn(parts) ?? {};
  const dead = options.filter((option) => hasNoValues(document, { allOf: [option, ...rest] }, [...inside, option]));
  if (options.length > 0 && dead.length === options.length) return true;
  return parts.flatMap(requiredNames).some((name) => {
    const schemas = parts.flatMap(({ properties }) => valueAt(properties, [name]) ?? []).filter(isJsonObject);
    return schemas.length > 1 && hasNoValues(document, { allOf: schemas }, [...inside, ...schemas]);
  });
}

/** Whether the types, the formats or the listed values of the parts exclude each other. */
function excludeEachOther(parts: readonly JsonObject[]): boolean {
  const formats = parts.flatMap(({ format }) => (typeof format === "string" && FORMATS.has(format) ? [format] : []));
  const types = sharedTypes(parts);
  const [first, ...others] = parts.map(valuesOf).filter((list) => list !== undefined);
  const values = first?.filter((value) => others.every((list) => list.includes(value)) && isOfTypes(value, types));
  return types?.length === 0 || values?.length === 0 || new Set(formats).size > 1;
}

/**
 * Formats that are treated as mutually exclusive, although some texts are valid in two of them: a date is also valid as
 * `date-time`.
 */
const FORMATS: ReadonlySet<string> = new Set("date date-time decimal email time uri uuid".split(" "));

/** Returns the properties that a schema object itself requires. Ignores its parts. */
export function requiredNames({ required }: JsonObject): readonly string[] {
  return isJsonArray(required) ? required.filter((name) => typeof name === "string") : [];
}

function isOfTypes(value: JsonValue, types: readonly string[] | undefined): boolean {
  if (types === undefined) return true;
  if (value === null) return types.includes("null");
  if (typeof value === "number" && types.includes("number")) return true;
  const own = typeof value === "number" ? (Number.isInteger(value) ? "integer" : "number") : typeof value;
  return types.includes(own);
}

/** Returns the type that the keywords of a schema without `type` imply; undefined if they imply none. */
export function impliedType(parts: readonly JsonObject[]): string | undefined {
  return TYPE_INDICATORS.find(([, words]) => words.some((word) => parts.some((part) => word in part)))?.[0];
}

const TYPE_INDICATORS: readonly (readonly [type: string, words: readonly string[]])[] = [
  ["object", ["properties", "additionalProperties", "required"]],
  ["array", ["items", "minItems", "maxItems", "uniqueItems"]],
  ["string", ["maxLength", "minLength", "pattern", "format"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
];

/**
 * Whether null is valid. `nullable` overrides the other keywords of its schema, including `$ref` and `allOf`. Without
 * `nullable`, the types, the values, all parts and at least one alternative must allow null.
 */
export function takesNull(document: JsonObject, schema: JsonObject, above: readonly JsonObject[] = []): boolean {
  if (above.includes(schema)) return true;
  const takes = (part: JsonValue): boolean =>
    isJsonObject(part) ? takesNull(document, part, [...above, schema]) : part !== false;
  const { nullable, $ref: reference, allOf: parts = [] } = schema;
  if (typeof nullable === "boolean") return nullable;
  if (refusesNull(schema) || (typeof reference === "string" && !takes(resolveRef(document, schema)))) return false;
  if (isJsonArray(parts) && !parts.every(takes)) return false;
  return [schema["oneOf"] ?? [], schema["anyOf"] ?? []].every(
    (options) => !isJsonArray(options) || options.length === 0 || options.some(takes),
  );
}

function refusesNull(schema: JsonObject): boolean {
  const types = typesOf(schema);
  return (types.length > 0 && !types.includes("null")) || valuesOf(schema)?.includes(null) === false;
}

/** Returns the values that `const` or `enum` allows; undefined if the schema has neither. */
export function valuesOf({ const: only, enum: several }: JsonObject): readonly JsonValue[] | undefined {
  if (only !== undefined) return [only];
  return isJsonArray(several) ? several : undefined;
}
