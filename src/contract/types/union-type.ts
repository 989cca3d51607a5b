import type { AttrPath } from "../../json/attr.ts";
import { formatCount } from "../../text/count.ts";
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue, memberAt } from "../../json/json-value.ts";
import { type Alternatives, alternativesOf } from "./alternatives.ts";
import { countOptions, MAX_OPTIONS } from "./count-alternatives.ts";
import { getOrAdd } from "../../model/groups.ts";
import type { Writable } from "../../model/writable.ts";
import type { FieldType, ObjectType, OptionChoice, TypeBase, UnionType } from "./field-type.ts";
import {
  type Compilation,
  componentName,
  flattenSchemas,
  followReference,
  readKeywords,
  resolveReference,
  schemaKey,
  schemaNodeAt,
  type SchemaNode,
} from "./schema-node.ts";
import { tagText } from "./type-tree.ts";

/** Calls `enter` with the type before it compiles the options, because they may contain the type. */
export function unionType(
  alternatives: Alternatives,
  base: TypeBase,
  compilation: Compilation,
  enter: (type: UnionType) => void,
): UnionType {
  const options: FieldType[] = [];
  const property = discriminatorProperty(alternatives, compilation);
  const union: Writable<UnionType> = { ...base, kind: "union", options };
  enter(union);
  for (const option of possibleOptions(alternatives, base, compilation)) options.push(option);
  if (!areEnforceable(union, alternatives, compilation)) {
    options.splice(0, options.length, { ...base, kind: "any" });
    return union;
  }
  if (property !== undefined) Object.assign(union, chosenBy(property, alternatives, compilation));
  const isChosen = union.discriminator !== undefined || union.setting !== undefined;
  if (!isChosen && alternatives.path.at(-1) === "oneOf") union.exactlyOne = true;
  return union;
}

/**
 * Returns the options that at least one value satisfies. If there are none, returns all options and reports a
 * contradiction, unless null is allowed.
 */
function possibleOptions(alternatives: Alternatives, base: TypeBase, compilation: Compilation): readonly FieldType[] {
  const compiled = alternatives.options.map((option) => compilation.compileOption(option));
  const possible = compiled.filter(({ impossible }) => impossible === undefined);
  if (possible.length > 0) return possible;
  const [first] = compiled;
  if (first?.impossible !== undefined && !base.nullable) {
    compilation.contradict(first.impossible.reason, first.impossible.path);
  }
  return compiled;
}

/** Returns false and adds a finding if there are too many options to enforce. */
function areEnforceable(union: UnionType, { path }: Alternatives, { unions, findings }: Compilation): boolean {
  const count = countOptions(union.options, unions);
  const isEnforced = count <= MAX_OPTIONS;
  unions.set(union, { path, options: isEnforced ? count : 1 });
  if (isEnforced) return true;
  const message = `this schema has more than ${formatCount(MAX_OPTIONS)} alternatives, including directly nested ones; none of them are enforced`;
  findings.add("error", "many-alternatives", message, path);
  return false;
}

/**
 * Returns the role of the discriminator's property in a union: it selects an option, or it is a setting of the
 * instance. Returns an empty object if the property cannot distinguish the options; the first match then applies, as
 * without a discriminator.
 */
function chosenBy(property: string, alternatives: Alternatives, compilation: Compilation): OptionChoice {
  const mapping = mappingOf(property, alternatives, compilation);
  if (!isInstanceSetting(property, alternatives, compilation)) {
    return mapping === undefined ? {} : { discriminator: { property, mapping } };
  }
  const value = compilation.settingText(property);
  const nodes = value === undefined ? undefined : mappedNodes(value, alternatives, compilation);
  const chosen = nodes && compilation.compile(nodes);
  if (chosen === undefined) reportOpenSetting(property, value, alternatives, compilation);
  return { setting: { property, mapping: mapping ?? new Map() }, ...(chosen !== undefined && { chosen }) };
}

/** An option that is not itself a set of alternatives. */
interface Leaf {
  readonly type: FieldType;
  /** The values that the schema of the property allows, as text; undefined if the schema does not list values. */
  readonly tags: readonly string[] | undefined;
  /** The name of the schema in the components; undefined inside other alternatives. */
  readonly name: string | undefined;
  readonly place: AttrPath;
}

/**
 * Returns the property's values, as text, and their options (OpenAPI 3.0.3, Discriminator Object). The values come from
 * these sources, in this order: the explicit mapping, the names of the remaining schemas, and the values that only one
 * schema lists. A value that the option itself rejects is ignored. Returns undefined and adds a finding if the values
 * do not distinguish the options.
 */
function mappingOf(
  property: string,
  alternatives: Alternatives,
  compilation: Compilation,
): ReadonlyMap<string, ObjectType> | undefined {
  const leaves = alternatives.options
    .flatMap((nodes, index) => leavesOf(nodes, property, { alternatives, index, compilation }))
    .filter(({ type }) => type.impossible === undefined);
  const mapping = writtenMapping(alternatives, leaves, compilation);
  addNames(mapping, leaves);
  addClaims(mapping, leaves);
  const lost = leaves.find((leaf) => !isMapped(leaf, mapping));
  if (lost === undefined) return mapping;
  const why = lost.type.kind === "object" ? "no distinct value for it" : "no properties";
  const message = `"${property}" does not select an alternative, because one of the alternatives has ${why}: the first alternative that the data matches is used`;
  return compilation.findings.add("info", "bad-discriminator", message, lost.place);
}

function isMapped(leaf: Leaf, mapping: ReadonlyMap<string, ObjectType>): boolean {
  return [...mapping.values()].some((type) => type === leaf.type);
}

/**
 * Adds the names of schemas that are not in the explicit mapping, except schemas whose discriminator property does not
 * allow their name.
 */
function addNames(mapping: Map<string, ObjectType>, leaves: readonly Leaf[]): void {
  for (const { name, tags, type } of leaves.filter((leaf) => !isMapped(leaf, mapping))) {
    const isFree = name !== undefined && !mapping.has(name);
    if (isFree && tags?.includes(name) !== false && type.kind === "object") mapping.set(name, type);
  }
}

function addClaims(mapping: Map<string, ObjectType>, leaves: readonly Leaf[]): void {
  const claims = new Map<string, Set<FieldType>>();
  for (const { tags = [], type } of leaves) {
    for (const tag of tags) getOrAdd(claims, tag, () => new Set<FieldType>()).add(type);
  }
  for (const [tag, [type, another]] of claims) {
    if (!mapping.has(tag) && another === undefined && type?.kind === "object") mapping.set(tag, type);
  }
}

/** Returns the innermost alternatives, at any depth. */
function leavesOf(
  nodes: readonly SchemaNode[],
  property: string,
  at: { readonly alternatives: Alternatives; readonly index: number; readonly compilation: Compilation },
  seen: readonly string[] = [],
): readonly Leaf[] {
  const { alternatives, compilation } = at;
  const key = schemaKey(nodes);
  const parts = flattenSchemas(nodes, compilation);
  const inner = seen.includes(key) ? undefined : alternativesOf(parts, compilation);
  if (inner !== undefined) return inner.options.flatMap((option) => leavesOf(option, property, at, [...seen, key]));
  const name = seen.length > 0 || nodes[0] === undefined ? undefined : componentName(nodes[0].path);
  const type = compilation.compileOption(nodes);
  return [{ type, tags: tagsOf(parts, property, compilation), name, place: [...alternatives.path, at.index] }];
}

/** Returns the possible values of the property, as text, or undefined if the schemas do not list them. */
function tagsOf(
  parts: readonly SchemaNode[],
  property: string,
  compilation: Compilation,
): readonly string[] | undefined {
  const nodes = readKeywords(parts, "properties").flatMap(({ value, path }) =>
    isJsonObject(value) && Object.hasOwn(value, property)
      ? [schemaNodeAt(value[property], [...path, property], compilation.findings)]
      : [],
  );
  return nodes.length === 0 ? undefined : choicesIn(nodes, compilation)?.map(tagText);
}

function choicesIn(nodes: readonly SchemaNode[], compilation: Compilation): readonly JsonValue[] | undefined {
  const parts = flattenSchemas(nodes, compilation);
  const constants = readKeywords(parts, "const").map(({ value }) => [value]);
  const lists = readKeywords(parts, "enum").flatMap(({ value }) => (isJsonArray(value) ? [value] : []));
  const options = alternativesOf(parts, compilation)?.options.map((option) => choicesIn(option, compilation)) ?? [];
  const together = options.length > 0 && options.every((list) => list !== undefined) ? [options.flat()] : [];
  const [first, ...others] = [...constants, ...lists, ...together];
  return first?.filter((choice) => others.every((list) => list.includes(choice)));
}

function writtenMapping(
  alternatives: Alternatives,
  leaves: readonly Leaf[],
  compilation: Compilation,
): Map<string, ObjectType> {
  const mapping = new Map<string, ObjectType>();
  for (const value of Object.keys(mappingIn(alternatives))) {
    const place = discriminatorPlace(alternatives, "mapping", value);
    const warn = (message: string): void => compilation.findings.add("warning", "bad-discriminator", message, place);
    const nodes = mappedNodes(value, alternatives, compilation);
    if (nodes === undefined) continue;
    const type = compilation.compileOption(nodes);
    const leaf = leaves.find((one) => one.type === type);
    if (type.kind !== "object") {
      if (type.kind !== "union") warn("a discriminator can only select objects; this value has no effect");
    } else if (leaf?.tags?.includes(value) === false) {
      warn("the mapped schema does not allow this value; the values in the schema are used");
    } else {
      if (leaf === undefined)
        warn("the discriminator's mapping refers to a schema that is not one of the alternatives");
      if (type.impossible === undefined) mapping.set(value, type);
    }
  }
  return mapping;
}

/**
 * Whether the property is not a field but a setting of the instance: no option declares the property or allows it
 * through `additionalProperties`.
 */
function isInstanceSetting(property: string, { options }: Alternatives, compilation: Compilation): boolean {
  const parts = options.flatMap((option) => flattenSchemas(option, compilation));
  const described = readKeywords(parts, "properties").some(
    ({ value }) => isJsonObject(value) && Object.hasOwn(value, property),
  );
  return !described && readKeywords(parts, "additionalProperties").every(({ value }) => value === false);
}

function mappingIn({ discriminator }: Alternatives): JsonObject {
  const mapping = isJsonObject(discriminator) ? discriminator["mapping"] : undefined;
  return isJsonObject(mapping) ? mapping : {};
}

/**
 * Returns the schema that the explicit mapping assigns to a value, and the schemas that apply to all options. Returns
 * undefined if the mapping does not have the value or its reference is broken.
 */
function mappedNodes(
  value: string,
  alternatives: Alternatives,
  compilation: Compilation,
): readonly SchemaNode[] | undefined {
  const reference = memberAt(mappingIn(alternatives), value);
  if (reference === undefined) return undefined;
  const place = discriminatorPlace(alternatives, "mapping", value);
  const isName = typeof reference === "string" && !/[#/]/.test(reference);
  const pointer = isName ? `#/components/schemas/${reference}` : reference;
  const target = followReference(compilation.document, pointer, place, compilation.findings);
  return target && [resolveReference(target, compilation), ...alternatives.shared];
}

/** Returns the path of a part of the discriminator, which is next to the `oneOf` or `anyOf`. */
function discriminatorPlace({ path }: Alternatives, ...part: AttrPath): AttrPath {
  return [...path.slice(0, -1), "discriminator", ...part];
}

function reportOpenSetting(
  setting: string,
  value: string | undefined,
  alternatives: Alternatives,
  { findings }: Compilation,
): void {
  const what = `no alternative has the property "${setting}", so the instance setting with that name selects the alternative`;
  const advice =
    value === undefined
      ? `the setting is not declared, so the first alternative that the data matches is used: declare rules.${setting} in migrate.yaml and, if the contract does not declare it, in x-rule-settings of an overlay`
      : `its value ${value} selects no alternative, so the first alternative that the data matches is used`;
  const place = discriminatorPlace(alternatives, "propertyName");
  findings.add("warning", "bad-discriminator", `${what}; ${advice}`, place);
}

function discriminatorProperty(alternatives: Alternatives, { findings }: Compilation): string | undefined {
  const { discriminator } = alternatives;
  if (discriminator === undefined) return undefined;
  const property = isJsonObject(discriminator) ? discriminator["propertyName"] : undefined;
  if (typeof property === "string") return property;
  const message = 'a discriminator must have a "propertyName"; it is not enforced';
  return findings.add("error", "bad-discriminator", message, discriminatorPlace(alternatives));
}
