import type { AttrPath } from "../../json/attr.ts";
import { isJsonArray, isJsonObject } from "../../json/json-value.ts";
import { isEvaluated, isTuple, siblingNames, type SiblingNames } from "./assertions.ts";
import { formatPointer } from "../../json/json-pointer.ts";
import type { Writable } from "../../model/writable.ts";
import { keywordReader } from "./read-keywords.ts";
import {
  ANY_TYPE,
  type FieldType,
  type ListType,
  type ObjectType,
  type Property,
  type TypeBase,
} from "./field-type.ts";
import {
  componentName,
  flattenSchemas,
  schemaNodeAt,
  readKeyword,
  readKeywords,
  type Compilation,
  type SchemaNode,
} from "./schema-node.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { addToGroup } from "../../model/groups.ts";
import { matcherOf } from "../../text/linear-pattern.ts";

/** Calls `enter` with the type before it compiles the properties, because they may contain the type. */
export function objectType(
  parts: readonly SchemaNode[],
  base: TypeBase,
  compilation: Compilation,
  enter: (type: ObjectType) => void,
): ObjectType {
  const properties = new Map<string, Property>();
  // The named schema nearest to the field.
  const name = parts.map(({ path }) => componentName(path)).find((found) => found !== undefined);
  const object: Writable<ObjectType> = {
    ...base,
    kind: "object",
    properties,
    additional: "closed",
    ...definedMembers({ name }),
  };
  enter(object);
  const required = requiredOf(parts, compilation);
  for (const [property, nodes] of propertyNodes(parts, compilation)) {
    properties.set(property, propertyOf(property, nodes, required.get(property)?.parts ?? [], compilation));
  }
  const siblings = siblingNames(parts, compilation);
  for (const property of siblings.names) {
    if (!properties.has(property))
      properties.set(property, { name: property, required: required.has(property), readOnly: false, type: ANY_TYPE });
  }
  object.additional = siblings.open ? ANY_TYPE : additionalOf(parts, siblings, compilation);
  if (siblings.patterns.length > 0) object.namePatterns = siblings.patterns;
  for (const [property, { path }] of required) {
    if (properties.has(property)) continue;
    const type = undescribedType(property, object);
    if (type === undefined) {
      const message = `"${property}" is required, but it is not among the properties`;
      compilation.findings.add("warning", "required-unknown", message, path);
    }
    properties.set(property, { name: property, required: true, readOnly: false, type: type ?? ANY_TYPE });
  }
  return object;
}

/**
 * Returns the type of a member that is not a declared property. If a pattern describes the name, returns a type that
 * accepts any value, because assertions validate the value. Otherwise, returns the type of additional properties, or
 * undefined if the object is closed.
 */
function undescribedType(name: string, { additional, namePatterns = [] }: ObjectType): FieldType | undefined {
  if (namePatterns.some((pattern) => matcherOf(pattern)(name))) return ANY_TYPE;
  return additional === "closed" ? undefined : additional;
}

/** Calls `enter` with the type before it compiles the items, because they may contain the type. */
export function listType(
  parts: readonly SchemaNode[],
  base: TypeBase,
  compilation: Compilation,
  enter: (type: ListType) => void,
): ListType {
  const reader = keywordReader(parts, compilation);
  const minItems = reader.count("minItems", "largest");
  const maxItems = reader.count("maxItems", "smallest");
  reader.checkOrder(minItems, maxItems, "minItems");
  const list: Writable<ListType> = {
    ...base,
    kind: "list",
    items: ANY_TYPE,
    uniqueItems: reader.isTrue("uniqueItems"),
    ...definedMembers({ minItems, maxItems }),
  };
  enter(list);
  const plain = parts.filter((part) => !isTuple(part));
  const items = readKeywords(plain, "items").map(({ value, path }) => schemaNodeAt(value, path, compilation.findings));
  if (items.length > 0) list.items = compilation.compile(items);
  return list;
}

/** Returns each property with the schemas of all parts that its values must satisfy, in document order. */
function propertyNodes(
  parts: readonly SchemaNode[],
  { findings }: Compilation,
): ReadonlyMap<string, readonly SchemaNode[]> {
  const nodes = new Map<string, SchemaNode[]>();
  for (const { value, path } of readKeywords(parts, "properties")) {
    if (!isJsonObject(value)) {
      findings.add("error", "bad-keyword", '"properties" must be an object; it is not enforced', path);
      continue;
    }
    for (const [name, schema] of Object.entries(value)) {
      const node = schemaNodeAt(schema, [...path, name], findings);
      addToGroup(nodes, name, node);
    }
  }
  return nodes;
}

/**
 * Compiles a property. A required property with `readOnly` is required only in replies, and a required property with
 * `writeOnly` only in requests (OpenAPI 3.0.3, Schema Object). If a part requires the property and describes it without
 * that keyword, the property is required in both directions. `requiring`: the parts that require the property.
 */
function propertyOf(
  name: string,
  nodes: readonly SchemaNode[],
  requiring: readonly SchemaNode[],
  compilation: Compilation,
): Property {
  const isReply = compilation.direction === "reply";
  const keyword = isReply ? "writeOnly" : "readOnly";
  const omitting = nodes.filter((node) =>
    flattenSchemas([node], compilation).some((part) => readKeyword(part, keyword) === true),
  );
  const required = requiring.some((part) => {
    const own = formatPointer([...part.path, "properties", name]);
    const described = nodes.find(({ path }) => formatPointer(path) === own) ?? omitting[0];
    return described === undefined || !omitting.includes(described);
  });
  const type = compilation.compileOption(nodes);
  if (!required || type.nullable) compilation.compile(nodes);
  else if (type.impossible !== undefined) compilation.contradict(type.impossible.reason, type.impossible.path);
  return { name, required, readOnly: omitting.length > 0 && !required && !isReply, type };
}

interface Requirement {
  readonly path: AttrPath;
  readonly parts: readonly SchemaNode[];
}

/** Returns each required name with the parts that require it and the path of the last requirement. */
function requiredOf(parts: readonly SchemaNode[], { findings }: Compilation): ReadonlyMap<string, Requirement> {
  const required = new Map<string, Requirement>();
  for (const part of parts) {
    const names = readKeyword(part, "required");
    if (names === undefined) continue;
    const path = [...part.path, "required"];
    if (!isJsonArray(names)) {
      findings.add("error", "bad-keyword", '"required" must be a list of property names; it is not enforced', path);
      continue;
    }
    for (const [index, name] of names.entries()) {
      const place = [...path, index];
      if (typeof name !== "string") findings.add("error", "bad-keyword", "a property name must be text", place);
      else required.set(name, { path: place, parts: [...(required.get(name)?.parts ?? []), part] });
    }
  }
  return required;
}

function describesNames(parts: readonly SchemaNode[], { names, patterns }: SiblingNames): boolean {
  const properties = readKeywords(parts, "properties").some(
    ({ value }) => !isJsonObject(value) || Object.keys(value).length > 0,
  );
  return properties || names.size > 0 || patterns.length > 0;
}

/**
 * Returns the type of additional properties. An object is closed unless a schema opens it (API specification 2.7.5) or
 * no schema describes a property. A single `false` closes it again, because every part must agree. A reply may always
 * contain more members than its schema describes.
 */
function additionalOf(
  parts: readonly SchemaNode[],
  siblings: SiblingNames,
  compilation: Compilation,
): ObjectType["additional"] {
  if (compilation.direction === "reply") return ANY_TYPE;
  const additional = readKeywords(parts, "additionalProperties");
  // `additionalProperties` evaluates all other properties, so `unevaluatedProperties` next to it has no effect.
  const written = additional.length > 0 ? additional : readKeywords(parts, "unevaluatedProperties");
  if (isEvaluated(parts) && written.every(({ value }) => value !== false)) return ANY_TYPE;
  if (written.length === 0) return describesNames(parts, siblings) ? "closed" : ANY_TYPE;
  if (written.some(({ value }) => value === false)) return "closed";
  const schemas = written.map(({ value, path }) => schemaNodeAt(value, path, compilation.findings));
  const open = schemas.filter(({ schema }) => Object.keys(schema).length > 0);
  return open.length === 0 ? ANY_TYPE : compilation.compile(open);
}
