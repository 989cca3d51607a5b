import type { JsonValue } from "../../json/json-value.ts";
import { didYouMean, suggest } from "../../text/suggestion.ts";
import { type FieldType, JSON_TYPES, type JsonTypeName } from "./field-type.ts";
import { type Compilation, readKeyword, type SchemaNode } from "./schema-node.ts";

type Kind = FieldType["kind"];

/**
 * How a schema keyword is treated.
 * - `enforced`: it determines the type, for the kinds in `on` if given. For other kinds whose values have the JSON type
 *   `of`, it is an assertion. It does not restrict values of other JSON types.
 * - `asserted`: it does not affect the type, and is validated as JSON Schema (`assertions` of the field type).
 * - `rules`: it is checked for otherwise valid values, and does not affect the type.
 * - `annotation`: it is documentation and does not affect validity.
 * - `reported`: it restricts values but is not enforced, so each use of it is a finding.
 */
type Treatment =
  | { readonly as: "enforced"; readonly on?: readonly Kind[]; readonly of?: JsonTypeName }
  | { readonly as: "asserted"; readonly of?: JsonTypeName }
  | { readonly as: "rules" }
  | { readonly as: "annotation" }
  | { readonly as: "reported" };

/**
 * JSON Schema 2020-12 and its OpenAPI 3.0 dialect, with the extensions of this program. docs/contract.md has the same
 * table.
 */
const KEYWORDS: readonly (readonly [Treatment, readonly string[]])[] = [
  [{ as: "enforced" }, ["$ref", "allOf", "oneOf", "anyOf", "discriminator"]],
  [{ as: "enforced" }, ["type", "nullable", "enum", "const", "format", "readOnly"]],
  [{ as: "enforced", on: ["text"], of: "string" }, ["minLength", "maxLength"]],
  [{ as: "enforced", on: ["text", "decimal"], of: "string" }, ["pattern"]],
  [{ as: "enforced", on: ["text"] }, ["x-document-path"]],
  [{ as: "enforced", on: ["datetime"] }, ["x-sent-as-given"]],
  [{ as: "enforced", on: ["number", "integer", "decimal"], of: "number" }, ["minimum", "maximum"]],
  [
    { as: "enforced", on: ["number", "integer", "decimal"], of: "number" },
    ["exclusiveMinimum", "exclusiveMaximum", "multipleOf"],
  ],
  [{ as: "enforced", on: ["decimal"] }, ["x-max-digits", "x-max-decimal-places"]],
  [{ as: "enforced", on: ["object"], of: "object" }, ["properties", "required"]],
  [{ as: "enforced", on: ["object"], of: "object" }, ["additionalProperties", "unevaluatedProperties"]],
  [{ as: "enforced", on: ["list"], of: "list" }, ["items", "minItems", "maxItems", "uniqueItems"]],
  [{ as: "rules" }, ["x-rules"]],
  [{ as: "annotation" }, ["title", "description", "default", "deprecated", "example", "examples"]],
  [{ as: "annotation" }, ["externalDocs", "xml", "writeOnly", "x-validators"]],
  [{ as: "annotation" }, ["contentEncoding", "contentMediaType", "contentSchema"]],
  [{ as: "annotation" }, ["$comment", "$defs", "definitions", "$id", "$schema", "$anchor", "$dynamicAnchor"]],
  [{ as: "asserted" }, ["not", "if", "then", "else"]],
  [{ as: "asserted", of: "object" }, ["dependentRequired", "dependentSchemas", "dependencies"]],
  [{ as: "asserted", of: "object" }, ["patternProperties", "propertyNames", "minProperties", "maxProperties"]],
  [{ as: "asserted", of: "list" }, ["contains", "minContains", "maxContains"]],
  [{ as: "asserted", of: "list" }, ["prefixItems", "additionalItems", "unevaluatedItems"]],
  [{ as: "reported" }, ["$dynamicRef", "$recursiveRef", "$recursiveAnchor"]],
];

export const TREATMENTS: ReadonlyMap<string, Treatment> = new Map(
  KEYWORDS.flatMap(([treatment, keywords]) => keywords.map((keyword) => [keyword, treatment] as const)),
);

/** The kind of a type, and whether it was inferred (`untyped`). If so, values of other JSON types are also valid. */
export interface KindOfType {
  readonly kind: Kind;
  readonly untyped: boolean;
}

/** Reports every keyword that is unknown, not enforced or without effect on this kind of type. */
export function checkKeywords(parts: readonly SchemaNode[], type: KindOfType, compilation: Compilation): void {
  for (const part of parts) {
    for (const keyword of Object.keys(part.schema)) {
      if (!part.omit.includes(keyword)) checkKeyword(part, keyword, type, compilation);
    }
  }
}

/** Keywords that accept only a few values, with these values. */
const SWITCHES: ReadonlyMap<string, readonly JsonValue[]> = new Map<string, readonly JsonValue[]>([
  ["nullable", [true, false]],
  ["readOnly", [true, false]],
  ["writeOnly", [true, false]],
  ["deprecated", [true, false]],
  ["uniqueItems", [true, false]],
  ["x-sent-as-given", [true, false]],
  ["x-document-path", [true, false, "key"]],
]);

function checkKeyword(part: SchemaNode, keyword: string, type: KindOfType, { findings }: Compilation): void {
  const path = [...part.path, keyword];
  const treatment = TREATMENTS.get(keyword);
  const values = SWITCHES.get(keyword);
  if (values?.includes(readKeyword(part, keyword) ?? null) === false) {
    const wanted = values.map((value) => JSON.stringify(value)).join(" or ");
    findings.add("error", "bad-keyword", `"${keyword}" must be ${wanted}; it is not enforced`, path);
  } else if (treatment === undefined) {
    if (keyword.startsWith("x-")) reportExtension(keyword, path, findings);
    else findings.add("warning", "unknown-keyword", unknownKeyword(keyword), path);
  } else if (treatment.as === "reported") {
    findings.add("warning", "not-enforced", `"${keyword}" is not enforced`, path);
  } else if (keyword === "$schema" && !DIALECTS.test(JSON.stringify(readKeyword(part, keyword)))) {
    findings.add("warning", "not-enforced", "the dialect is unknown; read as the OpenAPI dialect", path);
  } else if (
    !isShaping(treatment, type.kind) &&
    !isAsserted(part, keyword, type) &&
    !restrictsNothing(part, keyword, type)
  ) {
    findings.add("warning", "not-enforced", `"${keyword}" has no effect on ${KIND_NAMES[type.kind]}`, path);
  }
}

/** Whether a keyword of the part is validated as JSON Schema, in addition to the constraints that the kind enforces. */
export function isAsserted(part: SchemaNode, keyword: string, type: KindOfType): boolean {
  const treatment = TREATMENTS.get(keyword);
  if (treatment?.as === "enforced") {
    if (treatment.of === undefined || restrictsNothing(part, keyword, type)) return false;
    return !isShaping(treatment, type.kind) && concerns(treatment.of, type);
  }
  return treatment?.as === "asserted" && concerns(treatment.of, type);
}

/** Values of `$schema` that are accepted without a warning. */
const DIALECTS = /^"https?:\/\/(?:json-schema\.org\/draft|spec\.openapis\.org\/oas)\//;

function isShaping(treatment: Treatment, kind: Kind): boolean {
  if (treatment.as === "enforced") return treatment.on?.includes(kind) !== false;
  return treatment.as !== "asserted";
}

function concerns(type: JsonTypeName | undefined, { kind, untyped }: KindOfType): boolean {
  const own = JSON_TYPES[kind];
  return untyped || type === undefined || own === undefined || own === type;
}

function reportExtension(keyword: string, path: SchemaNode["path"], findings: Compilation["findings"]): void {
  const near = suggest(
    keyword,
    [...TREATMENTS.keys()].filter((known) => known.startsWith("x-")),
  );
  if (near === undefined) findings.countExtension(keyword, path);
  else findings.add("warning", "unknown-keyword", unknownKeyword(keyword), path);
}

function unknownKeyword(keyword: string): string {
  return `"${keyword}" is not a schema keyword and is not enforced${didYouMean(keyword, TREATMENTS.keys())}`;
}

/**
 * Whether a keyword has no effect: a length limit next to `enum` that every choice satisfies, `x-document-path: false`,
 * or, in a schema whose types are compiled separately (`type: [string, integer]`), a keyword that does not concern the
 * type.
 */
function restrictsNothing(part: SchemaNode, keyword: string, type: KindOfType): boolean {
  const treatment = TREATMENTS.get(keyword);
  if (part.omit.includes("type")) {
    return treatment?.as !== "enforced" || treatment.of === undefined || !concerns(treatment.of, type);
  }
  if (keyword === "x-document-path") return readKeyword(part, keyword) === false;
  return type.kind === "choice" && everyChoiceFits(part, keyword);
}

function everyChoiceFits(part: SchemaNode, keyword: string): boolean {
  const choices = readKeyword(part, "enum");
  const limit = readKeyword(part, keyword);
  if (!Array.isArray(choices)) return false;
  return choices.every((choice: unknown) => {
    if (typeof choice !== "string" || typeof limit !== "number") return choice === null;
    const length = Array.from(choice).length;
    return (keyword === "maxLength" && length <= limit) || (keyword === "minLength" && length >= limit);
  });
}

/** The kinds as shown in messages. */
export const KIND_NAMES: Readonly<Record<FieldType["kind"], string>> = {
  text: "text",
  decimal: "a decimal",
  number: "a number",
  integer: "a whole number",
  boolean: "a boolean",
  date: "a date",
  datetime: "a date-time",
  time: "a time",
  choice: "a choice",
  object: "an object",
  list: "a list",
  union: "alternatives",
  any: "a value of any type",
};
