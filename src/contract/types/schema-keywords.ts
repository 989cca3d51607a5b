import { didYouMean, suggest } from "../../text/suggestion.ts";
import type { FieldType } from "./field-type.ts";
import { type Compilation, readKeyword, type SchemaNode } from "./schema-node.ts";

type Kind = FieldType["kind"];

/** The values that a keyword says something of, by their JSON type; it lets all others through. */
type JsonFamily = "text" | "number" | "object" | "list" | "boolean";

/**
 * What becomes of a keyword of a schema.
 * `enforced`: it shapes the field type, where `on` is given only for those kinds; at other kinds that hold values `of` the
 * same JSON type it is an assertion.
 * `asserted`: it shapes no type and is judged as JSON Schema (`assertions` of the field type).
 * `rules`: it is judged over values that are sound, and shapes no type.
 * `annotation`: it says something to readers and nothing about what is valid.
 * `reported`: it restricts values and is not enforced, so each use of it is a finding.
 */
type Treatment =
  | { readonly as: "enforced"; readonly on?: readonly Kind[]; readonly of?: JsonFamily }
  | { readonly as: "asserted"; readonly of?: JsonFamily }
  | { readonly as: "rules" }
  | { readonly as: "annotation" }
  | { readonly as: "reported" };

/** The treatment of a schema's keyword; undefined for one that is not known. */
export function treatmentOf(keyword: string): Treatment | undefined {
  return TREATMENTS.get(keyword);
}

export function knownKeywords(): Iterable<string> {
  return TREATMENTS.keys();
}

const enforced: Treatment = { as: "enforced" };
const annotation: Treatment = { as: "annotation" };
const reported: Treatment = { as: "reported" };
const onText: Treatment = { as: "enforced", on: ["text"], of: "text" };
const onNumbers: Treatment = { as: "enforced", on: ["number", "integer", "decimal"], of: "number" };
const onDecimals: Treatment = { as: "enforced", on: ["decimal"] };
const onObjects: Treatment = { as: "enforced", on: ["object"], of: "object" };
const onLists: Treatment = { as: "enforced", on: ["list"], of: "list" };
const asserted: Treatment = { as: "asserted" };
const assertedOfObjects: Treatment = { as: "asserted", of: "object" };
const assertedOfLists: Treatment = { as: "asserted", of: "list" };

/** JSON Schema 2020-12 and its OpenAPI 3.0 dialect, with our own extensions. docs/contract.md has the same table. */
const TREATMENTS: ReadonlyMap<string, Treatment> = new Map<string, Treatment>([
  ["$ref", enforced],
  ["allOf", enforced],
  ["oneOf", enforced],
  ["anyOf", enforced],
  ["discriminator", enforced],
  ["type", enforced],
  ["nullable", enforced],
  ["enum", enforced],
  ["const", enforced],
  ["format", enforced],
  ["readOnly", enforced],
  ["minLength", onText],
  ["maxLength", onText],
  ["pattern", { as: "enforced", on: ["text", "decimal"], of: "text" }],
  ["x-document-path", { as: "enforced", on: ["text"] }],
  ["x-sent-as-given", { as: "enforced", on: ["datetime"] }],
  ["minimum", onNumbers],
  ["maximum", onNumbers],
  ["exclusiveMinimum", onNumbers],
  ["exclusiveMaximum", onNumbers],
  ["multipleOf", onNumbers],
  ["x-max-digits", onDecimals],
  ["x-max-decimal-places", onDecimals],
  ["properties", onObjects],
  ["required", onObjects],
  ["additionalProperties", onObjects],
  ["unevaluatedProperties", onObjects],
  ["items", onLists],
  ["minItems", onLists],
  ["maxItems", onLists],
  ["uniqueItems", onLists],

  ["x-rules", { as: "rules" }],

  ["title", annotation],
  ["description", annotation],
  ["default", annotation],
  ["deprecated", annotation],
  ["example", annotation],
  ["examples", annotation],
  ["externalDocs", annotation],
  ["xml", annotation],
  ["writeOnly", annotation],
  ["x-validators", annotation],
  ["contentEncoding", annotation],
  ["contentMediaType", annotation],
  ["contentSchema", annotation],
  ["$comment", annotation],
  ["$defs", annotation],
  ["definitions", annotation],
  ["$id", annotation],
  ["$schema", annotation],
  ["$anchor", annotation],

  ["not", asserted],
  ["if", asserted],
  ["then", asserted],
  ["else", asserted],
  ["dependentRequired", assertedOfObjects],
  ["dependentSchemas", assertedOfObjects],
  ["dependencies", assertedOfObjects],
  ["patternProperties", assertedOfObjects],
  ["propertyNames", assertedOfObjects],
  ["minProperties", assertedOfObjects],
  ["maxProperties", assertedOfObjects],
  ["contains", assertedOfLists],
  ["minContains", assertedOfLists],
  ["maxContains", assertedOfLists],
  ["prefixItems", assertedOfLists],
  ["additionalItems", assertedOfLists],
  ["unevaluatedItems", assertedOfLists],

  ["$dynamicRef", reported],
  ["$dynamicAnchor", reported],
  ["$recursiveRef", reported],
  ["$recursiveAnchor", reported],
]);

/** The kind of a type, and whether the schema left it to be guessed: then values of other JSON types are right, too. */
export interface KindOfType {
  readonly kind: Kind;
  readonly untyped: boolean;
}

/** Says of every keyword that does not shape this kind of type what becomes of it. Nothing is passed over in silence. */
export function checkKeywords(parts: readonly SchemaNode[], type: KindOfType, compilation: Compilation): void {
  for (const part of parts) {
    for (const keyword of Object.keys(part.schema)) {
      if (!part.omit.includes(keyword)) checkKeyword(part, keyword, type, compilation);
    }
  }
}

function checkKeyword(part: SchemaNode, keyword: string, type: KindOfType, { findings }: Compilation): void {
  const path = [...part.path, keyword];
  const treatment = treatmentOf(keyword);
  if (treatment === undefined) {
    if (keyword.startsWith("x-")) reportExtension(keyword, path, findings);
    else findings.add("warning", "unknown-keyword", unknownKeyword(keyword), path);
  } else if (treatment.as === "reported") {
    findings.add("warning", "not-enforced", `"${keyword}" is not enforced`, path);
  } else if (keyword === "$schema" && !DIALECTS.test(JSON.stringify(readKeyword(part, keyword)))) {
    findings.add("warning", "not-enforced", "the dialect is not known; read as that of OpenAPI", path);
  } else if (
    !isShaping(treatment, type.kind) &&
    !isAsserted(part, keyword, type) &&
    !restrictsNothing(part, keyword, type.kind)
  ) {
    findings.add("warning", "not-enforced", `"${keyword}" has no effect on ${KIND_NAMES[type.kind]}`, path);
  }
}

/** Whether a keyword that the part has is left to be judged as JSON Schema, beside what the kind itself enforces. */
export function isAsserted(part: SchemaNode, keyword: string, type: KindOfType): boolean {
  const treatment = treatmentOf(keyword);
  if (treatment?.as === "enforced") {
    if (treatment.of === undefined || restrictsNothing(part, keyword, type.kind)) return false;
    return !isShaping(treatment, type.kind) && concerns(treatment.of, type);
  }
  return treatment?.as === "asserted" && concerns(treatment.of, type);
}

/** Schemas name the dialect that they are written in; nothing is left out of these. */
const DIALECTS = /^"https?:\/\/(?:json-schema\.org\/draft|spec\.openapis\.org\/oas)\//;

function isShaping(treatment: Treatment, kind: Kind): boolean {
  if (treatment.as === "enforced") return treatment.on?.includes(kind) !== false;
  return treatment.as !== "asserted";
}

function concerns(family: JsonFamily | undefined, { kind, untyped }: KindOfType): boolean {
  const own = JSON_FAMILIES[kind];
  return untyped || family === undefined || own === undefined || own === family;
}

const JSON_FAMILIES: Readonly<Record<Kind, JsonFamily | undefined>> = {
  text: "text",
  decimal: "text",
  date: "text",
  datetime: "text",
  time: "text",
  number: "number",
  integer: "number",
  boolean: "boolean",
  object: "object",
  list: "list",
  choice: undefined,
  union: undefined,
  any: undefined,
};

function reportExtension(keyword: string, path: SchemaNode["path"], findings: Compilation["findings"]): void {
  const near = suggest(
    keyword,
    [...TREATMENTS.keys()].filter((known) => known.startsWith("x-")),
  );
  if (near === undefined) findings.countExtension(keyword, path);
  else findings.add("warning", "unknown-keyword", unknownKeyword(keyword), path);
}

function unknownKeyword(keyword: string): string {
  return `"${keyword}" is no keyword of a schema and is not enforced${didYouMean(keyword, TREATMENTS.keys())}`;
}

/**
 * Keywords that restrict nothing where they stand: those of text beside `enum`, when every choice satisfies them; a
 * type's own keywords in a schema whose types are compiled one by one (`type: [string, integer]`).
 */
function restrictsNothing(part: SchemaNode, keyword: string, kind: FieldType["kind"]): boolean {
  if (part.omit.includes("type")) return true;
  if (keyword === "x-document-path") return readKeyword(part, keyword) === false;
  return kind === "choice" && everyChoiceFits(part, keyword);
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

const KIND_NAMES: Readonly<Record<FieldType["kind"], string>> = {
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
