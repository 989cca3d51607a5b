import type { AttrPath } from "../../json/attr.ts";
import { formatPointer } from "../../json/json-pointer.ts";
import { isLongNumber, numberWithin } from "../../json/decimal-arithmetic.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from "../../json/json-value.ts";
import { checkedPattern } from "./pattern.ts";
import { checkKeywords } from "./schema-keywords.ts";
import {
  type Compilation,
  followReference,
  readKeyword,
  readNested,
  schemaNodeAt,
  type SchemaNode,
} from "./schema-node.ts";
import { countOf, numberOf } from "./read-keywords.ts";
import { namesOfTypes } from "./type-keyword.ts";

/**
 * Converts schemas of the document to one self-contained schema (JSON Schema 2020-12). Its `$defs` contain the
 * referenced schemas, and older keywords (`nullable`, `exclusiveMinimum: true`, `dependencies`, a list for `items`) are
 * converted to current keywords. A part that cannot be represented is omitted and reported as a finding, so it does not
 * restrict values. `evaluating`: whether the schema contains `unevaluatedProperties` or `unevaluatedItems`.
 */
export function standaloneSchema(
  nodes: readonly SchemaNode[],
  compilation: Compilation,
  evaluating = false,
): JsonObject {
  const definitions = new Map<string, JsonValue>();
  const reader: SchemaReader = { definitions, compilation, evaluating };
  const schemas = nodes.map((node) => membersOf(node, reader));
  const whole = { allOf: schemas, $defs: Object.fromEntries(definitions) };
  if (evaluating || !JSON.stringify(whole).includes('"unevaluated')) return whole;
  return standaloneSchema(nodes, compilation, true);
}

interface SchemaReader {
  /** The referenced schemas by pointer. A schema is registered before it is read, because it may contain itself. */
  readonly definitions: Map<string, JsonValue>;
  readonly compilation: Compilation;
  readonly evaluating: boolean;
}

function readSchema(value: JsonValue, path: AttrPath, reader: SchemaReader): JsonValue {
  if (typeof value === "boolean") return value;
  const node = schemaNodeAt(value, path, reader.compilation.findings);
  if (!isJsonObject(value)) return true;
  checkKeywords([node], { kind: "any", untyped: true }, reader.compilation);
  return readNested(path, reader.compilation, () => membersOf(node, reader));
}

function membersOf(node: SchemaNode, reader: SchemaReader): JsonObject {
  const members: Record<string, JsonValue> = {};
  const isSplit = reader.evaluating && readKeyword(node, "if") !== undefined;
  for (const keyword of Object.keys(node.schema)) {
    const value = readKeyword(node, keyword);
    if (value === undefined || (isSplit && IF_KEYWORDS.includes(keyword))) continue;
    const at = { value, keyword, node, path: [...node.path, keyword], reader };
    if (Object.hasOwn(READERS, keyword)) Object.assign(members, READERS[keyword]?.(at));
  }
  // Ajv ignores an `if` that has neither `then` nor `else`, although `if` itself can evaluate items.
  if (members["if"] !== undefined) members[CONSEQUENCE] ??= { not: false };
  const separated = separateKeywords(members);
  const whole = isSplit ? withPart(separated, splitCondition(node, reader)) : separated;
  return readKeyword(node, "nullable") === true ? { if: { type: "null" }, else: whole } : whole;
}

const IF_KEYWORDS: readonly string[] = ["if", "then", "else"];
/** The keyword `then`. As a literal key, it would make the object look like a promise (`unicorn/no-thenable`). */
const [, CONSEQUENCE = ""] = IF_KEYWORDS;

/** Rewrites `if` as alternatives, because Ajv treats properties in `if` as evaluated even if the condition is false. */
function splitCondition(node: SchemaNode, reader: SchemaReader): JsonObject {
  const [condition = true, consequence = true, otherwise = true] = IF_KEYWORDS.map((keyword) => {
    const value = readKeyword(node, keyword);
    return value === undefined ? undefined : readSchema(value, [...node.path, keyword], reader);
  });
  return { anyOf: [{ allOf: [condition, consequence] }, { allOf: [{ not: condition }, otherwise] }] };
}

/**
 * Moves keywords to their own parts of `allOf`. Next to other keywords, Ajv 8.20 generates faulty code for them: it
 * skips the keywords after `prefixItems` if the list is shorter, and it cannot record the properties that
 * `patternProperties` evaluates if alternatives evaluate no properties.
 */
function separateKeywords(members: JsonObject): JsonObject {
  const groups = SEPARATE.filter(([first]) => members[first] !== undefined);
  const pick = (isPicked: (keyword: string) => boolean): JsonObject =>
    Object.fromEntries(Object.entries(members).filter(([keyword]) => isPicked(keyword)));
  const separate = groups.map((group) => pick((keyword) => group.includes(keyword)));
  return separate.reduce(
    withPart,
    pick((keyword) => !groups.flat().includes(keyword)),
  );
}

function withPart(members: JsonObject, part: JsonObject): JsonObject {
  const { allOf = [] } = members;
  return { ...members, allOf: [...(isJsonArray(allOf) ? allOf : []), part] };
}

/** Each keyword, with the keywords that depend on it. */
const SEPARATE: readonly (readonly [string, ...string[]])[] = [
  ["prefixItems", "items"],
  ["patternProperties", "properties", "additionalProperties"],
];

interface KeywordAt {
  readonly value: JsonValue;
  readonly keyword: string;
  readonly node: SchemaNode;
  /** The path of the keyword. */
  readonly path: AttrPath;
  readonly reader: SchemaReader;
}

/** Converts a keyword to members of the current schema version. */
type ReadKeyword = (at: KeywordAt) => JsonObject;

const schema: ReadKeyword = ({ value, keyword, path, reader }) => ({ [keyword]: readSchema(value, path, reader) });

const schemaList: ReadKeyword = (at) => {
  const { value, keyword, path, reader } = at;
  if (!isJsonArray(value) || value.length === 0) return wrong(at, "a list of schemas");
  return { [keyword]: value.map((one, index) => readSchema(one, [...path, index], reader)) };
};

const schemaMap: ReadKeyword = (at) => {
  const { value, keyword, path, reader } = at;
  if (!isJsonObject(value)) return wrong(at, "an object of schemas");
  return { [keyword]: mapMembers(value, (one, name) => readSchema(one, [...path, name], reader)) };
};

const count: ReadKeyword = (at) => {
  const value = countOf(numberOf(at.value) ?? -1);
  return value === undefined ? wrong(at, "a whole number, 0 or more") : { [at.keyword]: value };
};

const step: ReadKeyword = (at) => {
  const value = numberOf(at.value) ?? 0;
  return value > 0 && value < Infinity ? { [at.keyword]: value } : wrong(at, "a number above 0");
};

const names: ReadKeyword = (at) =>
  isListOfNames(at.value) ? { [at.keyword]: [...new Set(at.value)] } : wrong(at, "a list of property names");

/** Converts a limit. The limit is exclusive if the keyword `exclusive` next to it is true (OpenAPI 3.0). */
function limit(exclusive: "exclusiveMinimum" | "exclusiveMaximum"): ReadKeyword {
  return (at) => {
    const isExclusive = readKeyword(at.node, exclusive) === true;
    const value = edgeOf(at, isExclusive);
    if (value === undefined) return wrong(at, "a number");
    return isExclusive ? { [exclusive]: value } : { [at.keyword]: value };
  };
}

/**
 * Returns the limit as a number. A limit that no double represents exactly is rounded so that it accepts the same
 * doubles.
 */
function edgeOf({ value, keyword }: KeywordAt, isExclusive: boolean): number | undefined {
  if (typeof value === "number") return value;
  if (!isLongNumber(value)) return undefined;
  const isUpper = keyword === "maximum" || keyword === "exclusiveMaximum";
  return numberWithin(value, isUpper === isExclusive ? "not below" : "not above");
}

const exclusiveLimit: ReadKeyword = (at) => {
  if (typeof at.value === "boolean") return {};
  const value = edgeOf(at, true);
  return value === undefined ? wrong(at, "a number") : { [at.keyword]: value };
};

const items: ReadKeyword = (at) => {
  const { value, path, reader } = at;
  if (!isJsonArray(value)) return schema(at);
  if (value.length === 0) return {};
  return { prefixItems: value.map((one, index) => readSchema(one, [...path, index], reader)) };
};

const additionalItems: ReadKeyword = ({ value, node, path, reader }) =>
  isJsonArray(readKeyword(node, "items")) ? { items: readSchema(value, path, reader) } : {};

const patternProperties: ReadKeyword = (at) => {
  const { value, path, reader } = at;
  if (!isJsonObject(value)) return wrong(at, "an object of schemas");
  const { findings } = reader.compilation;
  const known = Object.entries(value).filter(([name]) => checkedPattern(name, [...path, name], findings) !== undefined);
  return schemaMap({ ...at, value: Object.fromEntries(known) });
};

const pattern: ReadKeyword = ({ value, path, reader }) =>
  checkedPattern(value, path, reader.compilation.findings) === undefined ? {} : { pattern: value };

const dependentRequired: ReadKeyword = (at) =>
  isJsonObject(at.value) && Object.values(at.value).every(isListOfNames)
    ? { dependentRequired: at.value }
    : wrong(at, "an object of lists of names");

/** Converts `dependencies` (drafts 4 to 7): lists of names that must be present, or schemas that must be satisfied. */
const dependencies: ReadKeyword = (at) => {
  const { value, path, reader } = at;
  if (!isJsonObject(value)) return wrong(at, "an object");
  const entries = Object.entries(value);
  const required = entries.filter(([, dependency]) => isJsonArray(dependency));
  const schemas = entries.filter(([, dependency]) => !isJsonArray(dependency));
  return {
    ...dependentRequired({ ...at, value: Object.fromEntries(required) }),
    dependentSchemas: mapMembers(Object.fromEntries(schemas), (one, name) => readSchema(one, [...path, name], reader)),
  };
};

function isListOfNames(value: JsonValue): value is readonly string[] {
  return isJsonArray(value) && value.every((name) => typeof name === "string");
}

const type: ReadKeyword = ({ value, path, reader }) => {
  const known = namesOfTypes(value, path, reader.compilation);
  return known.length === 0 ? {} : { type: known };
};

const choices: ReadKeyword = (at) => {
  if (at.keyword === "const") return { const: at.value };
  if (!isJsonArray(at.value)) return wrong(at, "a list");
  return at.value.length === 0 ? { not: {} } : { enum: at.value };
};

const uniqueItems: ReadKeyword = ({ value }) => ({ uniqueItems: value === true });

const format: ReadKeyword = ({ value }) => (typeof value === "string" ? { format: value } : {});

const reference: ReadKeyword = ({ value, path, reader }) => {
  const { definitions, compilation } = reader;
  const target = followReference(compilation.document, value, path, compilation.findings);
  if (target === undefined) return {};
  const name = formatPointer(target.path);
  if (!definitions.has(name)) {
    definitions.set(name, true);
    definitions.set(name, readSchema(target.schema, target.path, reader));
  }
  return { $ref: `#/$defs/${encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))}` };
};

const READERS: Readonly<Record<string, ReadKeyword | undefined>> = {
  $ref: reference,
  allOf: schemaList,
  anyOf: schemaList,
  oneOf: schemaList,
  not: schema,
  if: schema,
  [CONSEQUENCE]: schema,
  else: schema,
  type,
  enum: choices,
  const: choices,
  format,
  minLength: count,
  maxLength: count,
  pattern,
  minimum: limit("exclusiveMinimum"),
  maximum: limit("exclusiveMaximum"),
  exclusiveMinimum: exclusiveLimit,
  exclusiveMaximum: exclusiveLimit,
  multipleOf: step,
  properties: schemaMap,
  patternProperties,
  additionalProperties: schema,
  unevaluatedProperties: schema,
  propertyNames: schema,
  required: names,
  dependentRequired,
  dependentSchemas: schemaMap,
  dependencies,
  minProperties: count,
  maxProperties: count,
  prefixItems: schemaList,
  items,
  additionalItems,
  unevaluatedItems: schema,
  contains: schema,
  minContains: count,
  maxContains: count,
  minItems: count,
  maxItems: count,
  uniqueItems,
};

function wrong({ keyword, path, reader }: KeywordAt, wanted: string): JsonObject {
  reader.compilation.findings.add("error", "bad-keyword", `"${keyword}" must be ${wanted}; it is not enforced`, path);
  return {};
}

function mapMembers(value: JsonObject, change: (member: JsonValue, name: string) => JsonValue): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, change(member, name)]));
}
