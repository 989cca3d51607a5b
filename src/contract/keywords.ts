import type { FieldType } from "./field-type.ts";

type Kind = FieldType["kind"];

/**
 * What becomes of a keyword of a schema.
 * `enforced`: it shapes the field type, where `on` is given only for those kinds of value.
 * `rules`: it is judged over values that are sound, and shapes no type.
 * `annotation`: it says something to readers and nothing about what is valid.
 * `reported`: it restricts values and is not enforced, so each use of it is a finding.
 */
export type Treatment =
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
