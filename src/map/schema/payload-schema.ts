import { describeConstraints, describeType } from "../../contract/describe/describe-type.ts";
import { type ChoiceType, type FieldType, type ObjectType, PLAIN_TYPE } from "../../contract/types/field-type.ts";
import type { JsonObject, JsonValue } from "../../json/json-value.ts";
import { flattenUnion, narrowType, type Variants } from "../node/union-variants.ts";
import { closedObject, CONDITION_SCHEMA } from "./leaf-schema.ts";
import { getOrAdd } from "../../model/groups.ts";

/** Schemas of a mapping's entries, by contract type. */
export interface PayloadSchema {
  readonly entryOf: (type: FieldType) => JsonObject;
  /** The definitions that the entries refer to. */
  readonly definitions: () => JsonObject;
}

/**
 * Creates schemas in which each object, each list of choices and each list that may contain itself is defined once,
 * because types may contain themselves and may occur in several places.
 */
export function createPayloadSchema(): PayloadSchema {
  const written: Written = { names: new Map(), numbers: new Map(), definitions: new Map() };
  return {
    entryOf: (type) => entryOf(type, written),
    definitions: () => Object.fromEntries(written.definitions),
  };
}

interface Written {
  /** The names of the definitions, by `typeKey`. */
  readonly names: Map<string, string>;
  readonly numbers: Map<object, number>;
  readonly definitions: Map<string, JsonObject>;
}

function entryOf(type: FieldType, written: Written): JsonObject {
  const [only = {}, another, ...more] = formsOf(type, written);
  return described(type, another === undefined ? only : { anyOf: [only, another, ...more] });
}

/** Returns the schemas of the entries that a type allows: fields, a list, a leaf. A union may allow several of them. */
function formsOf(type: FieldType, written: Written): readonly JsonObject[] {
  const forms: JsonObject[] = [];
  const object = narrowType(FIELDS, type);
  if (object.kind === "object" || object.kind === "variants") {
    forms.push({ $ref: defined(type, written, () => fieldsOf(object, written)) });
  }
  const list = narrowType([], type);
  if (list.kind === "list") {
    const schema = (): JsonObject => listOf(list.items, written);
    const mayContainItself = type.kind === "union" || list.items.kind === "list";
    forms.push(mayContainItself ? { $ref: defined(type, written, schema, "list") } : schema());
  }
  const leaf = narrowType("COLUMN", type);
  return ["object", "variants", "list"].includes(leaf.kind) ? forms : [...forms, leafOf(type, written)];
}

/** An entry with one field. The name of the field is not an option of a leaf. */
const FIELDS: JsonObject = { "": null };

/** Registers the name before the schema is built, because the schema may refer to itself. */
function defined(
  type: FieldType,
  written: Written,
  schema: () => JsonObject,
  prefix: "object" | "list" | "choices" = "object",
): string {
  const { names, definitions } = written;
  const key = `${prefix} ${typeKey(type, written)}`;
  const known = names.get(key);
  const name = known ?? `${prefix}${names.size + 1}`;
  if (known === undefined) {
    names.set(key, name);
    definitions.set(name, schema());
  }
  return `#/definitions/${name}`;
}

/** Unions of the same options have the same key, because the fields of several objects are combined in new unions. */
function typeKey(type: FieldType, { numbers }: Written): string {
  const numberOf = (part: object): number => getOrAdd(numbers, part, () => numbers.size);
  if (type.kind !== "union") return `${numberOf(type)}`;
  const { discriminator } = type;
  const options = flattenUnion(type)
    .map(numberOf)
    .toSorted((a, b) => a - b);
  return [...(discriminator === undefined ? [] : [`by ${numberOf(discriminator)}`]), ...options].join(" or ");
}

function fieldsOf(type: ObjectType | Variants, written: Written): JsonObject {
  if (type.kind === "object") {
    const fields = [...type.properties.values()].filter(({ readOnly }) => !readOnly);
    return {
      type: "object",
      additionalProperties: type.additional === "closed" ? false : entryOf(type.additional, written),
      properties: Object.fromEntries(fields.map((field) => [field.name, entryOf(field.type, written)])),
    };
  }
  const { names, typeOf, isReadOnly } = type.merged;
  const properties = names
    .filter((name) => !isReadOnly(name))
    .map((name) => [name, entryOf(typeOf(name) ?? ANYTHING, written)] as const);
  return closedObject(Object.fromEntries(properties));
}

function listOf(items: FieldType, written: Written): JsonObject {
  const item = entryOf(items, written);
  const part = { type: "object", additionalProperties: false, properties: partOf(item) };
  return {
    anyOf: [
      { type: "array", items: { anyOf: [item, { ...part, required: ["item"] }] } },
      { ...part, required: ["each", "item"] },
      { allOf: [{ $ref: "#/definitions/leaf" }], required: ["split"] },
    ],
  };
}

function leafOf(type: FieldType, written: Written): JsonObject {
  if (type.kind === "any") return {};
  const options = { $ref: "#/definitions/leaf" };
  const leaf = type.kind === "choice" ? { allOf: [options], properties: choiceOptions(type, written) } : options;
  return { anyOf: [{ type: "string", minLength: 1 }, leaf] };
}

/** Restricts constants and table values to the contract's choices. */
function choiceOptions(type: ChoiceType, written: Written): JsonObject {
  const { choices, nullable } = type;
  const values = new Set<JsonValue>([...choices, ...choices.map(String), ...(nullable ? [null] : [])]);
  const known = { $ref: defined(type, written, () => ({ enum: [...values] }), "choices") };
  const constant = { anyOf: [known, { type: "string", pattern: String.raw`\$\{` }] };
  const table = { type: "object", additionalProperties: { anyOf: [known, { const: "" }] } };
  return { value: constant, default: constant, lookup: { anyOf: [{ type: "string" }, table] } };
}

const ANYTHING: FieldType = { ...PLAIN_TYPE, kind: "any" };

function partOf(item: JsonObject): JsonObject {
  return {
    each: { type: "string", description: "A child source: one item for each of its rows" },
    when: CONDITION_SCHEMA,
    item,
  };
}

/** Adds the contract's description of a field, for display in editors. */
function described(type: FieldType, schema: JsonObject): JsonObject {
  const facts = [describeType(type), ...describeConstraints(type)].join("; ").slice(0, MAX_FACTS);
  const { description } = type;
  const text = description === undefined ? facts : `${description}\n\n${facts}`;
  return "$ref" in schema ? { description: text, allOf: [schema] } : { description: text, ...schema };
}

/** Maximum length of the facts in a description. Some lists of choices have hundreds of entries. */
const MAX_FACTS = 400;
