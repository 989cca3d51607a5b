import { isJsonArray, isJsonObject, type JsonObject, type JsonScalar, type JsonValue } from "../model/json.ts";
import { scalarSchema } from "./judge-scalar.ts";
import { flattenSchema, resolveRef } from "./openapi-ref.ts";

/**
 * Turns a request schema of an OpenAPI document into JSON Schema for Ajv, with the keywords of `judge-ajv.ts`.
 * The data to judge is the member `body` of the object that is validated.
 * Objects are closed (specification 2.7.5), `allOf` is merged, read-only properties may be present and are not looked at.
 */
export function toJudgeSchema(document: JsonObject, schema: JsonObject): JsonObject {
  const definitions: Record<string, JsonObject> = {};
  const names = new Map<JsonObject, string>();

  const refer = (node: JsonObject): JsonObject => {
    const target = Object.keys(node).length === 1 ? resolveRef(document, node) : node;
    let name = names.get(target);
    if (name === undefined) {
      name = `s${names.size}`;
      names.set(target, name);
      definitions[name] = convert(target, document, refer);
    }
    return { $ref: `#/$defs/${name}` };
  };

  const body = refer(schema);
  return { type: "object", properties: { body }, $defs: definitions };
}

/** A reference to the converted form of a schema. */
type Refer = (schema: JsonObject) => JsonObject;

function convert(schema: JsonObject, document: JsonObject, refer: Refer): JsonObject {
  const parts = flattenSchema(document, schema);
  const union = parts.map((part) => part["oneOf"] ?? part["anyOf"]).find(isJsonArray);
  const nullable = parts.some(allowsNull);
  if (union !== undefined) {
    const owner = parts.find((part) => part["oneOf"] === union || part["anyOf"] === union);
    const members = { options: union.filter(isJsonObject), owner: owner ?? schema, siblings: parts, nullable };
    return unionSchema(members, document, refer);
  }
  const types = new Set(parts.flatMap(typesOf).filter((type) => type !== "null"));
  const type = types.values().next().value ?? impliedType(parts);
  if (parts.some((part) => "enum" in part || "const" in part)) return choiceSchema(parts, nullable);
  if (type === "object") return objectSchema(parts, nullable, refer);
  if (type === "array") return listSchema(parts, nullable, { document, refer });
  return scalarSchema(parts, type, nullable);
}

function allowsNull(part: JsonObject): boolean {
  const choices = part["enum"];
  return (
    part["nullable"] === true || typesOf(part).includes("null") || (isJsonArray(choices) && choices.includes(null))
  );
}

function typesOf(part: JsonObject): readonly string[] {
  const type = part["type"];
  if (typeof type === "string") return [type];
  return isJsonArray(type) ? type.filter((name) => typeof name === "string") : [];
}

function impliedType(parts: readonly JsonObject[]): string | undefined {
  const has = (...keywords: readonly string[]): boolean => parts.some((part) => keywords.some((word) => word in part));
  if (has("properties", "required", "additionalProperties")) return "object";
  if (has("items", "minItems", "maxItems")) return "array";
  if (has("format", "pattern", "minLength", "maxLength")) return "string";
  return has("minimum", "maximum", "multipleOf") ? "number" : undefined;
}

function orNull(type: string, nullable: boolean): JsonValue {
  return nullable ? [type, "null"] : type;
}

function choiceSchema(parts: readonly JsonObject[], nullable: boolean): JsonObject {
  const lists = parts.map(choicesOf).filter((list) => list !== undefined);
  const [first = [], ...others] = lists;
  const choices = first.filter((choice) => choice !== null && others.every((list) => list.includes(choice)));
  return choiceAmong(choices, nullable);
}

function choiceAmong(choices: readonly JsonScalar[], nullable: boolean): JsonObject {
  return { allOf: [{ coerce: { to: "choice", choices } }, { enum: nullable ? [...choices, null] : choices }] };
}

function choicesOf(part: JsonObject): readonly JsonScalar[] | undefined {
  const { const: only, enum: choices } = part;
  if (only !== undefined && isScalar(only)) return [only];
  return isJsonArray(choices) ? choices.filter(isScalar) : undefined;
}

function isScalar(value: JsonValue): value is JsonScalar {
  return typeof value !== "object" || value === null;
}

function objectSchema(parts: readonly JsonObject[], nullable: boolean, refer: Refer): JsonObject {
  const found = new Map<string, JsonObject[]>();
  for (const part of parts) {
    for (const [name, property] of Object.entries(isJsonObject(part["properties"]) ? part["properties"] : {})) {
      if (isJsonObject(property)) found.set(name, [...(found.get(name) ?? []), property]);
    }
  }
  const properties = [...found].map(([name, schemas]) => [name, propertySchema(schemas, refer)] as const);
  const readOnly = new Set(properties.filter(([, schema]) => Object.keys(schema).length === 0).map(([name]) => name));
  const required = parts.flatMap((part) => (isJsonArray(part["required"]) ? part["required"] : []));
  const others = parts.map((part) => part["additionalProperties"]).find((rule) => rule !== undefined && rule !== false);
  return {
    type: orNull("object", nullable),
    properties: Object.fromEntries(properties),
    required: [...new Set(required)].filter(
      (name) => typeof name === "string" && found.has(name) && !readOnly.has(name),
    ),
    additionalProperties: isJsonObject(others) ? refer(others) : others === true,
  };
}

function propertySchema(schemas: readonly JsonObject[], refer: Refer): JsonObject {
  if (schemas.some((schema) => schema["readOnly"] === true)) return {};
  const [only, ...more] = schemas;
  return refer(only !== undefined && more.length === 0 ? only : { allOf: schemas });
}

function listSchema(
  parts: readonly JsonObject[],
  nullable: boolean,
  { document, refer }: { readonly document: JsonObject; readonly refer: Refer },
): JsonObject {
  const limits = parts.flatMap((part) =>
    Object.entries(part).filter(([word]) => ["minItems", "maxItems", "uniqueItems"].includes(word)),
  );
  const items = parts.map((part) => part["items"]).find(isJsonObject) ?? {};
  return {
    type: orNull("array", nullable),
    itemKind: holdsObjects(items, document) ? "object" : "scalar",
    items: refer(items),
    ...Object.fromEntries(limits),
  };
}

/** Decides where errors of the list itself are addressed (PLATFORM 5.1): a list of serializers, or a plain list field. */
function holdsObjects(items: JsonObject, document: JsonObject): boolean {
  const parts = flattenSchema(document, items);
  const options = parts.map((part) => part["oneOf"] ?? part["anyOf"]).find(isJsonArray);
  if (options !== undefined) return options.filter(isJsonObject).some((option) => holdsObjects(option, document));
  return parts.some((part) => typesOf(part).includes("object")) || impliedType(parts) === "object";
}

interface Union {
  readonly options: readonly JsonObject[];
  /** The schema that has the `oneOf` or `anyOf`, and perhaps a discriminator. */
  readonly owner: JsonObject;
  readonly siblings: readonly JsonObject[];
  readonly nullable: boolean;
}

function unionSchema(union: Union, document: JsonObject, refer: Refer): JsonObject {
  const { options, owner, nullable } = union;
  const enums = options.map((option) =>
    flattenSchema(document, option)
      .map(choicesOf)
      .find((list) => list !== undefined),
  );
  if (enums.every((list) => list !== undefined)) {
    const choices = enums.flat().filter((choice) => choice !== null);
    return choiceAmong(choices, nullable || enums.some((list) => list.includes(null)));
  }
  const shared = union.siblings.filter((part) => "properties" in part || "required" in part);
  const convertOption = (option: JsonObject): JsonObject =>
    refer(shared.length === 0 ? option : { allOf: [...shared, option] });
  const discriminator = owner["discriminator"];
  if (isJsonObject(discriminator) && typeof discriminator["propertyName"] === "string") {
    const tag = discriminator["propertyName"];
    const mapped = mappedOptions(discriminator["mapping"], options, { document, tag });
    return discriminatedSchema(tag, mapped, nullable, convertOption);
  }
  const withoutNull = options.filter((option) => !typesOf(option).includes("null"));
  const mayBeNull = nullable || withoutNull.length < options.length;
  const members: readonly JsonObject[] = mayBeNull ? [{ type: "null" }] : [];
  return { anyOf: [...members, ...withoutNull.map(convertOption)] };
}

type Mapped = ReadonlyMap<string, JsonObject>;

/** Without a `mapping`, a schema is known by its name, or by what its own tag property allows. */
function mappedOptions(
  mapping: JsonValue | undefined,
  options: readonly JsonObject[],
  { document, tag }: { readonly document: JsonObject; readonly tag: string },
): Mapped {
  if (isJsonObject(mapping)) {
    return new Map(
      Object.entries(mapping).flatMap(([value, ref]) =>
        typeof ref === "string" ? [[value, { $ref: ref.startsWith("#") ? ref : `#/components/schemas/${ref}` }]] : [],
      ),
    );
  }
  return new Map(
    options.flatMap((option): [string, JsonObject][] => {
      const properties = flattenSchema(document, option).map((part) => part["properties"]);
      const tags = properties
        .filter(isJsonObject)
        .map((found) => found[tag])
        .find(isJsonObject);
      const values =
        tags &&
        flattenSchema(document, tags)
          .map(choicesOf)
          .find((list) => list !== undefined);
      if (values !== undefined) return values.map((value) => [String(value), option]);
      const ref = option["$ref"];
      return typeof ref === "string" ? [[ref.slice(ref.lastIndexOf("/") + 1), option]] : [];
    }),
  );
}

function discriminatedSchema(tag: string, mapped: Mapped, nullable: boolean, convertOption: Refer): JsonObject {
  const branches = [...mapped].map(([value, option]) => ({
    if: { tagged: { tag, value } },
    then: convertOption(option),
  }));
  return {
    type: orNull("object", nullable),
    allOf: [{ knownTag: { tag, values: [...mapped.keys()] } }, ...branches],
  };
}
