import { didYouMean, suggest } from "../../text/suggestion.ts";
import type { FieldType } from "./field-type.ts";
import { type Compilation, readKeyword, type SchemaNode } from "./schema-node.ts";

type Kind = FieldType["kind"];

/**
 * What becomes of a keyword of a schema.
 * `enforced`: it shapes the field type, where `on` is given only for those kinds of value.
 * `rules`: it is judged over values that are sound, and shapes no type.
 * `annotation`: it says something to readers and nothing about what is valid.
 * `reported`: it restricts values and is not enforced, so each use of it is a finding.
 */
type Treatment =
  | { readonly as: "enforced"; readonly on?: readonly Kind[] }
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
const onText: Treatment = { as: "enforced", on: ["text"] };
const onNumbers: Treatment = { as: "enforced", on: ["number", "integer", "decimal"] };
const onDecimals: Treatment = { as: "enforced", on: ["decimal"] };
const onObjects: Treatment = { as: "enforced", on: ["object"] };
const onLists: Treatment = { as: "enforced", on: ["list"] };

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
  ["pattern", { as: "enforced", on: ["text", "decimal"] }],
  ["x-document-path", onText],
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

  ["not", reported],
  ["if", reported],
  ["then", reported],
  ["else", reported],
  ["dependentRequired", reported],
  ["dependentSchemas", reported],
  ["dependencies", reported],
  ["patternProperties", reported],
  ["propertyNames", reported],
  ["minProperties", reported],
  ["maxProperties", reported],
  ["contains", reported],
  ["minContains", reported],
  ["maxContains", reported],
  ["prefixItems", reported],
  ["additionalItems", reported],
  ["unevaluatedItems", reported],
  ["$dynamicRef", reported],
  ["$dynamicAnchor", reported],
  ["$recursiveRef", reported],
  ["$recursiveAnchor", reported],
]);

/** Says of every keyword that does not shape this kind of type what becomes of it. Nothing is passed over in silence. */
export function checkKeywords(parts: readonly SchemaNode[], kind: FieldType["kind"], compilation: Compilation): void {
  for (const part of parts) {
    for (const keyword of Object.keys(part.schema)) {
      if (!part.omit.includes(keyword)) checkKeyword(part, keyword, kind, compilation);
    }
  }
}

function checkKeyword(part: SchemaNode, keyword: string, kind: FieldType["kind"], { findings }: Compilation): void {
  const path = [...part.path, keyword];
  const treatment = treatmentOf(keyword);
  if (treatment === undefined) {
    if (keyword.startsWith("x-")) reportExtension(keyword, path, findings);
    else findings.add("warning", "unknown-keyword", unknownKeyword(keyword), path);
  } else if (treatment.as === "reported") {
    findings.add("warning", "not-enforced", `"${keyword}" is not enforced`, path);
  } else if (treatment.as === "enforced" && treatment.on !== undefined && !treatment.on.includes(kind)) {
    if (!restrictsNothing(part, keyword, kind)) {
      findings.add("warning", "not-enforced", `"${keyword}" has no effect on ${KIND_NAMES[kind]}`, path);
    }
  }
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
