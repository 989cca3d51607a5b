import type { AttrPath } from "../../json/attr.ts";
import { isJsonArray, isJsonObject, type JsonScalar, type JsonValue } from "../../json/json-value.ts";
import type { TypeBase } from "./read-keywords.ts";
import type { Discriminator, FieldType, ObjectType, UnionType } from "./field-type.ts";
import { countOptions, MAX_OPTIONS } from "./count-alternatives.ts";
import { formatPointer } from "../../json/json-pointer.ts";
import { treatmentOf } from "./schema-keywords.ts";
import {
  flattenSchemas,
  followReference,
  schemaNodeAt,
  readKeyword,
  readKeywords,
  resolveReference,
  omitKeywords,
  type Compilation,
  type SchemaNode,
} from "./schema-node.ts";
import { isNullOnly } from "./type-keyword.ts";

/** A schema with `oneOf` or `anyOf`, taken apart. */
export interface Alternatives {
  /** The options other than null, each of them with what stands beside the keyword and holds for all. */
  readonly options: readonly (readonly SchemaNode[])[];
  /** All parts without the keyword. */
  readonly rest: readonly SchemaNode[];
  /** One option is null. */
  readonly nullable: boolean;
  /** The keyword's own place. */
  readonly path: AttrPath;
  readonly discriminator: JsonValue | undefined;
  readonly shared: readonly SchemaNode[];
}

/** The first `oneOf` or `anyOf` among the parts; a second one stays with the rest and is taken apart after it. */
export function alternativesOf(parts: readonly SchemaNode[], compilation: Compilation): Alternatives | undefined {
  const keyword = parts.flatMap((part) => UNION_KEYWORDS.filter((name) => readKeyword(part, name) !== undefined))[0];
  const holder = keyword === undefined ? undefined : parts.find((part) => readKeyword(part, keyword) !== undefined);
  if (keyword === undefined || holder === undefined) return undefined;

  const path = [...holder.path, keyword];
  const rest = parts.map((part) => (part === holder ? omitKeywords(part, keyword, "discriminator") : part));
  const written = readKeyword(holder, keyword);
  if (!isJsonArray(written) || written.length === 0) {
    compilation.findings.add(
      "error",
      "bad-keyword",
      `"${keyword}" must be a list of schemas; it is not enforced`,
      path,
    );
    return undefined;
  }
  const nodes = written.map((option, index) =>
    resolveReference(schemaNodeAt(option, [...path, index], compilation.findings), compilation),
  );
  const options = nodes.filter((node) => !isNullOnly(flattenSchemas([node], compilation)));
  const typed = options.every((node) => readKeywords(flattenSchemas([node], compilation), "type").length > 0);
  const shared = rest.filter((part) => restricts(part, typed));
  return {
    options: options.map((node) => [node, ...shared]),
    rest,
    nullable: options.length < nodes.length,
    path,
    discriminator: compilation.direction === "reply" ? undefined : readKeyword(holder, "discriminator"),
    shared,
  };
}

const UNION_KEYWORDS = ["oneOf", "anyOf"] as const;

/** A part that says more than what a reader wants to know, that null is allowed, and the type that every option names. */
function restricts(part: SchemaNode, typed: boolean): boolean {
  return Object.keys(part.schema).some(
    (keyword) =>
      !part.omit.includes(keyword) &&
      keyword !== "nullable" &&
      RESTRICTING.has(treatmentOf(keyword)?.as) &&
      !(typed && keyword === "type" && part.schema["type"] === "object"),
  );
}

const RESTRICTING: ReadonlySet<string | undefined> = new Set(["enforced", "asserted"]);

/** The choices of all options together, when each option is a list of choices and nothing else, and nothing discriminates. */
export function mergedChoices(
  { options, discriminator, path }: Alternatives,
  compilation: Compilation,
): readonly JsonScalar[] | undefined {
  if (discriminator !== undefined) return undefined;
  const choices: JsonScalar[] = [];
  for (const option of options) {
    const parts = flattenSchemas(option, compilation);
    const listed = readKeywords(parts, "enum");
    if (listed.length !== 1 || parts.length !== 1 || !isJsonArray(listed[0]?.value)) return undefined;
    if (!listed[0].value.every(isScalar)) return undefined;
    for (const choice of listed[0].value) choices.push(choice);
  }
  const distinct = new Set(choices.filter((choice) => choice !== null));
  const repeats = choices.filter((choice) => choice !== null).length > distinct.size;
  return repeats && path.at(-1) === "oneOf" ? undefined : [...distinct];
}

function isScalar(value: JsonValue): value is JsonScalar {
  return !isJsonObject(value) && !isJsonArray(value);
}

/** `enter` is called with the type before its options are compiled, so that they may contain it. */
export function unionType(
  alternatives: Alternatives,
  base: TypeBase,
  compilation: Compilation,
  enter: (type: UnionType) => void,
): UnionType {
  const options: FieldType[] = [];
  const mapping = new Map<string, ObjectType>();
  const property = discriminatorProperty(alternatives, compilation);
  const isSetting = property !== undefined && isNoField(property, alternatives, compilation);
  const setting = isSetting ? compilation.settingText(property) : undefined;
  const union: UnionType & { chosen?: FieldType } = {
    ...base,
    kind: "union",
    options,
    ...(property === undefined && alternatives.path.at(-1) === "oneOf" && { exactlyOne: true }),
    ...(property !== undefined && {
      [isSetting ? "setting" : "discriminator"]: { property, mapping } satisfies Discriminator,
    }),
  };
  enter(union);
  for (const option of alternatives.options) options.push(compilation.compile(option));
  const count = countOptions(options, compilation.unions);
  compilation.unions.set(union, { path: alternatives.path, options: count > MAX_OPTIONS ? 1 : count });
  if (count > MAX_OPTIONS) {
    const message = `these alternatives and those directly inside them come to more than ${MAX_OPTIONS.toLocaleString("en")}; they are not enforced`;
    compilation.findings.add("error", "many-alternatives", message, alternatives.path);
    options.length = 0;
    options.push({ ...base, kind: "any" });
    return union;
  }
  if (property !== undefined) fillMapping(mapping, alternatives, options, compilation);
  if (!isSetting) return union;
  const chosen = setting === undefined ? undefined : optionFor(setting, alternatives, compilation);
  if (chosen === undefined) reportOpenSetting(property, setting, alternatives, compilation);
  else union.chosen = chosen;
  return union;
}

/** Operators name a setting of theirs as discriminator; objects being closed, no payload can carry it then. */
function isNoField(property: string, { options }: Alternatives, compilation: Compilation): boolean {
  const parts = options.flatMap((option) => flattenSchemas(option, compilation));
  const described = readKeywords(parts, "properties").some(
    ({ value }) => isJsonObject(value) && Object.hasOwn(value, property),
  );
  return !described && readKeywords(parts, "additionalProperties").every(({ value }) => value === false);
}

/** The option that the written mapping has for a value; one for a setting's value is an option like the others. */
function optionFor(value: string, alternatives: Alternatives, compilation: Compilation): FieldType | undefined {
  const { discriminator, path, shared } = alternatives;
  const mapping = isJsonObject(discriminator) ? discriminator["mapping"] : undefined;
  const reference = isJsonObject(mapping) && Object.hasOwn(mapping, value) ? mapping[value] : undefined;
  if (reference === undefined) return undefined;
  const place = [...path.slice(0, -1), "discriminator", "mapping", value];
  const target = followReference(compilation.document, fullReference(reference), place, compilation.findings);
  return target && compilation.compile([resolveReference(target, compilation), ...shared]);
}

function reportOpenSetting(
  setting: string,
  value: string | undefined,
  { path }: Alternatives,
  { findings }: Compilation,
): void {
  const what = `no option describes "${setting}", so it is a setting of the instance that chooses between them`;
  const advice =
    value === undefined
      ? `it is not declared, so the first option that fits is taken: declare rules.${setting} in migrate.yaml, and in x-rule-settings of an overlay where the contract does not know it`
      : `no option is for its value ${value}, so the first that fits is taken`;
  const place = [...path.slice(0, -1), "discriminator", "propertyName"];
  findings.add("warning", "bad-discriminator", `${what}; ${advice}`, place);
}

function discriminatorProperty({ discriminator, path }: Alternatives, { findings }: Compilation): string | undefined {
  if (discriminator === undefined) return undefined;
  const property = isJsonObject(discriminator) ? discriminator["propertyName"] : undefined;
  if (typeof property === "string") return property;
  const place = [...path.slice(0, -1), "discriminator"];
  findings.add("error", "bad-discriminator", 'a discriminator needs a "propertyName"; it is not enforced', place);
  return undefined;
}

/** OpenAPI 3.0.3, Discriminator Object: the written mapping, and schema names for options that it leaves out. */
function fillMapping(
  mapping: Map<string, ObjectType>,
  alternatives: Alternatives,
  options: readonly FieldType[],
  compilation: Compilation,
): void {
  const path = [...alternatives.path.slice(0, -1), "discriminator", "mapping"];
  const { discriminator } = alternatives;
  const written = isJsonObject(discriminator) ? discriminator["mapping"] : undefined;
  for (const [value, reference] of Object.entries(isJsonObject(written) ? written : {})) {
    const place = [...path, value];
    const target = followReference(compilation.document, fullReference(reference), place, compilation.findings);
    if (target === undefined) continue;
    const nodes = [resolveReference(target, compilation), ...alternatives.shared];
    addOption(mapping, { value, type: compilation.compile(nodes), place }, options, compilation);
  }
  const mapped = new Set<FieldType>(mapping.values());
  for (const [index, nodes] of alternatives.options.entries()) {
    const type = options[index];
    const name = nodes[0] === undefined ? undefined : componentName(nodes[0].path);
    if (type === undefined || mapped.has(type)) continue;
    const place = [...alternatives.path, index];
    if (name === undefined) {
      const message = "the discriminator cannot choose this option: it has neither a name nor a place in the mapping";
      compilation.findings.add("warning", "bad-discriminator", message, place);
    } else addOption(mapping, { value: name, type, place }, options, compilation);
  }
}

function fullReference(reference: JsonValue): JsonValue {
  return typeof reference === "string" && !/[#/]/.test(reference) ? `#/components/schemas/${reference}` : reference;
}

function componentName(path: AttrPath): string | undefined {
  return /^\/components\/schemas\/[^/]*$/.test(formatPointer(path)) ? String(path.at(-1)) : undefined;
}

function addOption(
  mapping: Map<string, ObjectType>,
  { value, type, place }: { readonly value: string; readonly type: FieldType; readonly place: AttrPath },
  options: readonly FieldType[],
  { findings }: Compilation,
): void {
  if (type.kind !== "object") {
    findings.add("error", "bad-discriminator", "a discriminator can only choose between objects", place);
    return;
  }
  if (!options.includes(type)) {
    findings.add("warning", "bad-discriminator", "the mapping leads to a schema that is not among the options", place);
  }
  mapping.set(value, type);
}
