import { baseType } from "./read-keywords.ts";
import { listType, objectType } from "./compound-types.ts";
import { ANY_TYPE, type FieldType, type TypeBase } from "./field-type.ts";
import {
  formatOf,
  int32Limits,
  isInt32,
  isNumberFormat,
  kindOfText,
  reportUncheckedFormats,
  textFormat,
} from "./formats.ts";
import type { Findings } from "../contract-findings.ts";
import { isJsonArray, isJsonScalar, type JsonObject, type JsonValue } from "../../json/json-value.ts";
import { checkKeywords, type KindOfType } from "./schema-keywords.ts";
import { assertionsOf } from "./assertions.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { choiceType, decimalType, numericLimits, reportContradictions, textType } from "./scalar-types.ts";
import {
  flattenSchemas,
  schemaKey,
  readKeywords,
  readNested,
  resolveReference,
  omitKeywords,
  type Compilation,
  type SchemaNode,
} from "./schema-node.ts";
import { nullAllowed, nullRule, type NullRule } from "./nullability.ts";
import { isNullOnly, isOfType, typesOf, type SchemaType, type SchemaTypes } from "./type-keyword.ts";
import { alternativesOf, equivalentSchema, type Alternatives } from "./alternatives.ts";
import { unionType } from "./union-type.ts";

/** Creates the state for compiling the schemas of one document. Each part that is not enforced becomes a finding. */
export function compilationOf(
  document: JsonObject,
  openapi: Compilation["openapi"],
  findings: Findings,
  { direction = "request", settingText = () => undefined }: Partial<Compilation> = {},
): Compilation {
  const open = new Set<string>();
  const compilation: Compilation = {
    document,
    findings,
    openapi,
    direction,
    settingText,
    types: new Map(),
    nesting: 0,
    unions: new Map(),
    rules: new Map(),
    contradict: () => {},
    compile: (nodes) => {
      const type = compilation.compileOption(nodes);
      if (type.impossible !== undefined) {
        const { reason, path } = type.impossible;
        if (type.nullable) findings.add("warning", "contradiction", `${reason}; only null is valid`, path);
        else findings.add("error", "contradiction", `${reason}; no value is valid`, path);
      }
      return type;
    },
    compileOption: (nodes, enter) => {
      const resolved = nodes.map((node) => resolveReference(node, compilation));
      const distinct = [...new Map(resolved.map((node) => [schemaKey([node]), node])).values()];
      const key = schemaKey(distinct);
      const known = compilation.types.get(key);
      if (known !== undefined) return known;
      if (open.has(key)) return circularType(distinct, compilation);
      open.add(key);
      const type = readNested(distinct[0]?.path ?? [], compilation, () =>
        compileNodes(distinct, compilation, (draft) => {
          compilation.types.set(key, draft);
          enter?.(draft);
        }),
      );
      open.delete(key);
      compilation.types.set(key, type);
      return type;
    },
  };
  return compilation;
}

type RegisterType = (draft: FieldType) => void;

/**
 * Reports alternatives that contain themselves without an object or a list in between, and returns a type that accepts
 * any value.
 */
function circularType(nodes: readonly SchemaNode[], { findings }: Compilation): FieldType {
  findings.add("error", "circular-ref", "the schema refers only to itself; it is not enforced", nodes[0]?.path ?? []);
  return { ...ANY_TYPE };
}

function compileNodes(nodes: readonly SchemaNode[], shared: Compilation, enter: RegisterType): FieldType {
  let impossible: FieldType["impossible"];
  const compilation: Compilation = { ...shared, contradict: (reason, path) => (impossible ??= { reason, path }) };
  const type = compileParts(nodes, compilation, enter);
  if (impossible === undefined) return type;
  if (type.untyped === true) {
    const message = `${impossible.reason}; only values of other types are valid`;
    shared.findings.add("warning", "contradiction", message, impossible.path);
    return type;
  }
  // Changes the type object itself, because other types in progress may already contain it.
  return Object.assign(type, { impossible });
}

function compileParts(nodes: readonly SchemaNode[], compilation: Compilation, enter: RegisterType): FieldType {
  const parts = flattenSchemas(nodes, compilation);
  const nulls = nullRule(nodes, compilation);
  const alternatives = alternativesOf(parts, compilation);
  if (alternatives !== undefined) return compileAlternatives({ ...alternatives, nulls }, compilation, enter);
  const types = { ...typesOf(parts, compilation), nulls };
  if (types.allowed !== undefined && types.allowed.length > 1 && !hasChoices(parts)) {
    return compileTypeList(parts, types, compilation, enter);
  }
  return compilePlain(parts, types, compilation, enter);
}

function hasChoices(parts: readonly SchemaNode[]): boolean {
  return readKeywords(parts, "enum").length > 0 || readKeywords(parts, "const").length > 0;
}

/** Parts of a schema, with the combined null rule of all its nodes. */
type Nullable<Parts> = Parts & { readonly nulls: NullRule };

function compileAlternatives(
  alternatives: Nullable<Alternatives>,
  compilation: Compilation,
  enter: RegisterType,
): FieldType {
  const { rest, path, nulls } = alternatives;
  const only = equivalentSchema(alternatives, compilation);
  if (only !== undefined) {
    const isNullable = rest.every(({ takesNull }) => takesNull === true);
    const option = isNullable ? only.map((node): SchemaNode => ({ ...node, takesNull: true })) : only;
    return compilation.compileOption([...(nulls === "allowed" ? [nullAllowed(path)] : []), ...rest, ...option], enter);
  }
  const base = baseType(rest, nulls === "allowed", compilation);
  checkKeywords(
    rest.filter((part) => !alternatives.shared.includes(part)),
    { kind: "object", untyped: false },
    compilation,
  );
  return unionType(alternatives, base, compilation, enter);
}

/** Compiles a list of types (`type: [string, integer]`) to one option per type, with the keywords for that type. */
function compileTypeList(
  parts: readonly SchemaNode[],
  types: Nullable<SchemaTypes>,
  compilation: Compilation,
  enter: RegisterType,
): FieldType {
  const rest = parts.map((part) => omitKeywords(part, "type"));
  const options = (types.allowed ?? []).map((type): readonly SchemaNode[] => [
    { schema: { type }, path: [...types.path, type], omit: [] },
    ...rest,
  ]);
  const base = baseType(parts, types.nulls === "allowed", compilation);
  const alternatives = { options, rest, path: types.path, discriminator: undefined, shared: rest };
  return unionType(alternatives, base, compilation, enter);
}

function compilePlain(
  parts: readonly SchemaNode[],
  types: Nullable<SchemaTypes>,
  compilation: Compilation,
  enter: RegisterType,
): FieldType {
  const kind = kindOf(parts, types, compilation);
  const assertions = assertionsOf(parts, kind, compilation);
  const isGuess = kind.untyped && kind.kind !== "any";
  const base: TypeBase = {
    ...baseType(parts, types.nulls === "allowed" || (kind.untyped && types.nulls === undefined), compilation),
    ...definedMembers({ assertions, untyped: isGuess ? (true as const) : undefined }),
  };
  const type = build(kind, { parts, types, base, compilation, enter });
  checkKeywords(parts, kind, compilation);
  reportUncheckedFormats(parts, kind, compilation);
  reportUnusedDiscriminator(parts, compilation);
  return type;
}

function kindOf(parts: readonly SchemaNode[], types: SchemaTypes, compilation: Compilation): KindOfType {
  const consts = readKeywords(parts, "const").map(({ value }) => value);
  const choices = [...consts, ...readKeywords(parts, "enum").flatMap(({ value }) => (isJsonArray(value) ? value : []))];
  if (hasChoices(parts)) {
    const isList = choices.every((choice) => isJsonScalar(choice) || !isOfType(choice, types.allowed));
    return { kind: isList && !isNullOnly(parts) ? "choice" : "any", untyped: false };
  }
  if (types.nullOnly) return { kind: "any", untyped: false };
  const [written] = types.allowed ?? [];
  const type = written ?? inferredType(parts, compilation);
  return { kind: kindOfType(type ?? "null", parts, types, compilation), untyped: types.allowed === undefined };
}

const KINDS: Readonly<Record<Exclude<SchemaType, "string">, FieldType["kind"]>> = {
  object: "object",
  array: "list",
  number: "number",
  integer: "integer",
  boolean: "boolean",
  null: "any",
};

function kindOfType(
  type: SchemaType,
  parts: readonly SchemaNode[],
  types: SchemaTypes,
  compilation: Compilation,
): FieldType["kind"] {
  if (type === "string") return kindOfText(formatOf(parts, compilation) ?? types.format);
  return type === "number" && isInt32(parts) ? "integer" : KINDS[type];
}

interface TypeParts {
  readonly parts: readonly SchemaNode[];
  readonly types: SchemaTypes;
  readonly base: TypeBase;
  readonly compilation: Compilation;
  readonly enter: RegisterType;
}

function build({ kind }: KindOfType, type: TypeParts): FieldType {
  const { parts, types, base, compilation, enter } = type;
  if (kind === "choice") return choiceType(parts, base, types.nullOnly ? [] : types.allowed, compilation);
  if (kind === "object") return objectType(parts, base, compilation, enter);
  if (kind === "list") return listType(parts, base, compilation, enter);
  return scalarType(kind, type);
}

function scalarType(kind: FieldType["kind"], { parts, types, base, compilation }: TypeParts): FieldType {
  if (kind === "decimal") return decimalType(parts, base, compilation);
  if (kind === "datetime") {
    const isSentAsGiven = readKeywords(parts, "x-sent-as-given").some(({ value }) => value === true);
    return { ...base, kind, ...(isSentAsGiven && { asGiven: true }) };
  }
  if (kind === "date" || kind === "time" || kind === "boolean") return { ...base, kind };
  if (kind === "text") {
    return textType(parts, base, textFormat(formatOf(parts, compilation) ?? types.format), compilation);
  }
  if (kind === "number" || kind === "integer") {
    return { ...base, kind, ...numericLimits([...parts, ...int32Limits(parts)], compilation) };
  }
  reportContradictions(parts, false, compilation);
  // If the types exclude each other, no value is valid, not even null, unless the schema explicitly allows null.
  return { ...base, kind: "any", nullable: base.nullable || !excludeEachOther(types) };
}

function excludeEachOther({ allowed }: SchemaTypes): boolean {
  return allowed?.length === 0;
}

function inferredType(parts: readonly SchemaNode[], { findings }: Compilation): SchemaType | undefined {
  for (const [type, keywords, suits = () => true] of TYPE_INDICATORS) {
    const found = keywords.flatMap((keyword) => readKeywords(parts, keyword)).find(({ value }) => suits(value));
    if (found === undefined) continue;
    const message = `no type is declared; read as ${type}, and values of other types are accepted`;
    findings.add("info", "type-inferred", message, found.path.slice(0, -1));
    return type;
  }
  return undefined;
}

/** Types, keywords that suggest them and, if necessary, a condition for the value of the keyword. */
const TYPE_INDICATORS: readonly (readonly [SchemaType, readonly string[], ((value: JsonValue) => boolean)?])[] = [
  ["object", ["properties", "additionalProperties"]],
  ["array", ["items", "minItems", "maxItems", "uniqueItems"]],
  ["string", ["maxLength", "minLength", "pattern"]],
  ["string", ["format"], (format) => !isNumberFormat(format)],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format"]],
];

function reportUnusedDiscriminator(parts: readonly SchemaNode[], { findings }: Compilation): void {
  for (const { path } of readKeywords(parts, "discriminator")) {
    findings.add("warning", "not-enforced", "a discriminator has no effect without oneOf or anyOf", path);
  }
}
