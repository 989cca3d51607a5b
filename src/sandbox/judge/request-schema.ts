import { isJsonObject, type JsonObject, valueAt } from "../../json/json-value.ts";
import { assertedSchema, conditionalNames, hasCompoundChoices, isTuple } from "./asserted-schema.ts";
import { choiceOf, scalarSchema, strictestLimit, typeSchema } from "./scalar-schema.ts";
import { convertUnion, type Define, type Union } from "./union-schema.ts";
import {
  alternativesIn,
  flattenSchema,
  impliedType,
  omitKeywords,
  requiredNames,
  resolveRef,
  sharedTypes,
  takesNull,
  typesOf,
  valuesOf,
} from "./openapi-schema.ts";

/**
 * Converts a request schema of an OpenAPI document to JSON Schema for Ajv, with the keywords of `judge-keywords.ts`.
 * The validated object contains the data in its member `body`. Objects are closed (API specification 2.7.5), and
 * `allOf` is merged. Read-only properties are allowed and validated. `asserted` contains the schemas that the keyword
 * `asserted` names. They are written as in the document, and may refer to it.
 */
export function toJudgeSchema(document: JsonObject, schema: JsonObject): JudgeSchema {
  const definitions: Record<string, JsonObject> = {};
  const asserted: Record<string, JsonObject> = {};
  const names = new Map<JsonObject, string>();

  const define: Define = (node) => {
    const target = Object.keys(node).length === 1 ? resolveRef(document, node) : node;
    const known = names.get(target);
    if (known !== undefined) return known;
    const name = `s${names.size}`;
    names.set(target, name);
    const converted = convertSchema(target, document, define);
    const assertion = assertedSchema(flattenSchema(document, target));
    definitions[name] = assertion === undefined ? converted : { allOf: [{ asserted: name }, converted] };
    if (assertion !== undefined) {
      asserted[name] = target["nullable"] === true ? { if: { type: "null" }, else: assertion } : assertion;
    }
    return name;
  };

  const body = define(schema);
  return { schema: { type: "object", properties: { body: referTo(body) }, $defs: definitions }, asserted };
}

export interface JudgeSchema {
  readonly schema: JsonObject;
  readonly asserted: JsonObject;
}

function referTo(name: string): JsonObject {
  return { $ref: `#/$defs/${name}` };
}

function convertSchema(schema: JsonObject, document: JsonObject, define: Define): JsonObject {
  const parts = flattenSchema(document, schema);
  const nullable = takesNull(document, schema);
  const alternatives = alternativesIn(parts);
  if (alternatives !== undefined) return convertUnion({ ...alternatives, nullable }, document, define);
  const agreed = sharedTypes(parts) ?? [];
  if (agreed.length > 0 && agreed.every((type) => type === "null")) return choiceOf([], true);
  if (parts.some((part) => "enum" in part || "const" in part)) return choiceSchema(parts, nullable);
  const types = [...new Set(agreed.length > 0 ? agreed : parts.flatMap(typesOf))].filter((type) => type !== "null");
  if (types.length > 1) return convertUnion(unionOfTypes(types, parts, nullable), document, define);
  const type = types[0] ?? impliedType(parts);
  const converted = schemaOfType(type, { parts, nullable, document, define });
  // Without a declared type, values of other types are valid.
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  return types.length > 0 || type === undefined ? converted : { if: { type }, then: converted };
}

interface SchemaParts {
  readonly parts: readonly JsonObject[];
  readonly nullable: boolean;
  readonly document: JsonObject;
  readonly define: Define;
}

function schemaOfType(type: string | undefined, schema: SchemaParts): JsonObject {
  if (type === "object") return objectSchema(schema);
  if (type === "array") return listSchema(schema);
  return scalarSchema(schema.parts, type, schema.nullable);
}

/** Converts a schema such as `type: [string, integer]` to a union of its types. */
function unionOfTypes(types: readonly string[], parts: readonly JsonObject[], nullable: boolean): Union {
  const rest = parts.map((part) => omitKeywords(part, new Set(["type", "allOf", "$ref"])));
  return { options: types.map((type) => ({ type, allOf: rest })), rest: [], nullable, discriminator: undefined };
}

function choiceSchema(parts: readonly JsonObject[], nullable: boolean): JsonObject {
  if (hasCompoundChoices(parts)) return nullable ? {} : { type: ["string", "number", "boolean", "object", "array"] };
  const [first = [], ...others] = parts.map(valuesOf).filter((list) => list !== undefined);
  return choiceOf(
    first.filter((choice) => others.every((list) => list.includes(choice))),
    nullable,
  );
}

function objectSchema({ parts, nullable, document, define }: SchemaParts): JsonObject {
  const schemas = new Map<string, readonly JsonObject[]>();
  for (const { properties } of parts) {
    for (const [name, schema] of Object.entries(isJsonObject(properties) ? properties : {})) {
      if (isJsonObject(schema)) schemas.set(name, [...(schemas.get(name) ?? []), schema]);
    }
  }
  const readOnly = new Set([...schemas.keys()].filter((name) => isReadOnly(schemas.get(name) ?? [], document)));
  const required = new Set(parts.flatMap((part) => requiredIn(part, readOnly, document)));
  const properties = [...schemas].map(([name, all]) => [name, propertySchema(all, define)] as const);
  const isClosed = parts.some((part) => part["additionalProperties"] === false);
  const conditional = isClosed ? [] : [...conditionalNames(parts, document)];
  const undocumented = [...required, ...conditional].filter((name) => !schemas.has(name));
  const patterns = parts.flatMap((part) => Object.keys(part["patternProperties"] ?? {}));
  return {
    ...typeSchema("object", nullable),
    properties: Object.fromEntries([...properties, ...undocumented.map((name) => [name, {}])]),
    patternProperties: Object.fromEntries(patterns.map((pattern) => [pattern, {}])),
    required: [...required],
    ...additionalSchema(parts, schemas.size + conditional.length + patterns.length === 0, define),
  };
}

/**
 * Returns the required properties of a part. Omits a property that is read-only in another part, unless this part also
 * describes the property, but not as read-only.
 */
function requiredIn(part: JsonObject, readOnly: ReadonlySet<string>, document: JsonObject): readonly string[] {
  return requiredNames(part).filter((name) => {
    const own = valueAt(part["properties"], [name]);
    return !readOnly.has(name) || (isJsonObject(own) && !isReadOnly([own], document));
  });
}

function isReadOnly(schemas: readonly JsonObject[], document: JsonObject): boolean {
  return schemas.some((schema) => flattenSchema(document, schema).some((part) => part["readOnly"] === true));
}

function propertySchema(schemas: readonly JsonObject[], define: Define): JsonObject {
  const [only, ...more] = schemas;
  return referTo(define(only !== undefined && more.length === 0 ? only : { allOf: schemas }));
}

/**
 * Returns the schema of additional properties. An object is closed unless the document opens it or describes none of
 * its properties. In the latter case, the object is a dictionary.
 */
function additionalSchema(parts: readonly JsonObject[], isBare: boolean, define: Define): JsonObject {
  const additional = parts.map((part) => part["additionalProperties"]).filter((rule) => rule !== undefined);
  const others = parts.map((part) => part["unevaluatedProperties"]).filter((rule) => rule !== undefined);
  const rules = additional.length > 0 ? additional : others;
  if (rules.length === 0 && isBare) return { additionalProperties: true, isDictionary: true };
  if (rules.length === 0 || rules.includes(false)) return { additionalProperties: false };
  const schemas = rules.filter(isJsonObject).filter((rule) => Object.keys(rule).length > 0);
  return { additionalProperties: schemas.length === 0 ? true : propertySchema(schemas, define), isDictionary: isBare };
}

function listSchema({ parts, nullable, document, define }: SchemaParts): JsonObject {
  const plain = parts.filter((part) => !isTuple(part));
  const items = plain.map((part) => part["items"]).filter(isJsonObject);
  return {
    ...typeSchema("array", nullable),
    items: items.length === 0 ? {} : propertySchema(items, define),
    holdsObjects: items.some((schema) => holdsObjects(schema, document)),
    uniqueItems: parts.some((part) => part["uniqueItems"] === true),
    ...strictestLimit(parts, "minItems", Math.max),
    ...strictestLimit(parts, "maxItems", Math.min),
  };
}

/**
 * Whether the items are objects. The attr of list errors depends on the kind of items, because list serializers and
 * plain list fields of the Django REST framework differ.
 */
function holdsObjects(items: JsonObject, document: JsonObject): boolean {
  const parts = flattenSchema(document, items);
  const alternatives = alternativesIn(parts);
  if (alternatives !== undefined) return alternatives.options.some((option) => holdsObjects(option, document));
  return parts.some((part) => typesOf(part).includes("object")) || impliedType(parts) === "object";
}
