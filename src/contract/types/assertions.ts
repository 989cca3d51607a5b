import { type JsonValue, isJsonArray, isJsonObject, valueAt } from "../../json/json-value.ts";
import { formatCount } from "../../text/count.ts";
import type { LinearPattern } from "../../text/linear-pattern.ts";
import { MAX_EVALUATIONS, countEvaluations } from "./assertion-cost.ts";
import type { Assertion } from "./field-type.ts";
import { isFormatAsserted } from "./formats.ts";
import { checkedPattern } from "./pattern.ts";
import { type KindOfType, isAsserted } from "./schema-keywords.ts";
import {
  type Compilation,
  type SchemaNode,
  flattenSchemas,
  readKeyword,
  readKeywords,
  schemaKey,
  schemaNodeAt,
} from "./schema-node.ts";
import { standaloneSchema } from "./standalone-schema.ts";
import { parseFragment } from "../../json/json-pointer.ts";

/**
 * Returns, as JSON Schema, the constraints in a schema's parts that the kind of its type does not enforce, or undefined
 * if there are none. Types of replies have no assertions.
 */
export function assertionsOf(
  parts: readonly SchemaNode[],
  type: KindOfType,
  compilation: Compilation,
): readonly Assertion[] | undefined {
  if (compilation.direction === "reply") return undefined;
  const picked = parts.map((part) => pickedPart(part, parts, type, compilation)).filter((part) => part !== undefined);
  const assertions: Assertion[] = [];
  if (picked.length > 0) assertions.push({ schema: standaloneSchema(picked, compilation), unevaluated: false });
  for (const part of parts) {
    if (!needsEvaluation(part, parts, type)) continue;
    // The keywords in `omit` also evaluate members, so this schema includes them. Null has no members.
    assertions.push({ schema: standaloneSchema([{ ...part, omit: ["nullable"] }], compilation), unevaluated: true });
  }
  const enforced = assertions.filter(({ schema }) => isAffordable(schema, parts, compilation));
  return enforced.length === 0 ? undefined : enforced;
}

/**
 * Returns false and adds a finding if a schema needs too many evaluations: nested conditions double the work with each
 * level, and this work cannot be interrupted.
 */
function isAffordable(schema: Assertion["schema"], parts: readonly SchemaNode[], { findings }: Compilation): boolean {
  if (countEvaluations(schema) <= MAX_EVALUATIONS) return true;
  const message = `a value may need to be compared with more than ${formatCount(MAX_EVALUATIONS)} schemas (nested conditions and alternatives); these constraints are not enforced`;
  findings.add("warning", "not-enforced", message, parts[0]?.path ?? []);
  return false;
}

/**
 * Returns the part with only its asserted keywords and the keywords that they depend on, or undefined if no keyword is
 * asserted.
 */
function pickedPart(
  part: SchemaNode,
  parts: readonly SchemaNode[],
  type: KindOfType,
  compilation: Compilation,
): SchemaNode | undefined {
  const keywords = Object.keys(part.schema).filter(
    (keyword) =>
      !UNEVALUATED.has(keyword) &&
      readKeyword(part, keyword) !== undefined &&
      (isAsserted(part, keyword, type) || isBeyondKind(part, keyword, parts, type)),
  );
  if (keywords.length === 0) return undefined;
  reportLostRules(part, keywords, compilation);
  const kept = keywords.includes("additionalProperties") ? [...keywords, "properties", "patternProperties"] : keywords;
  const schema = Object.fromEntries(
    Object.entries(part.schema)
      .filter(([keyword]) => kept.includes(keyword))
      .map(([keyword, value]) => [keyword, keywords.includes(keyword) ? value : namesOnly(value)]),
  );
  return { ...part, schema: part.takesNull === true ? { ...schema, nullable: true } : schema };
}

/**
 * Whether the keyword restricts numbers in a schema whose type is not declared and whose inferred kind is decimal. A
 * decimal is text, so its kind does not restrict numbers.
 */
function isOfGuessedDecimal(keyword: string, { kind, untyped }: KindOfType): boolean {
  return untyped && kind === "decimal" && NUMERIC.has(keyword);
}

const NUMERIC: ReadonlySet<string> = new Set([
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
]);

const UNEVALUATED: ReadonlySet<string> = new Set(["unevaluatedProperties", "unevaluatedItems"]);

/** Keeps the names of properties but accepts any values, because their own types validate the values. */
function namesOnly(value: JsonValue): JsonValue {
  return isJsonObject(value) ? Object.fromEntries(Object.keys(value).map((name) => [name, true])) : value;
}

/** Whether the kind enforces the keyword in general, but not its value in this part. */
function isBeyondKind(part: SchemaNode, keyword: string, parts: readonly SchemaNode[], type: KindOfType): boolean {
  const { kind } = type;
  if (keyword === "format") return isFormatAsserted(part, parts, type);
  if (kind === "any") return ["type", "enum", "const"].includes(keyword);
  if (isOfGuessedDecimal(keyword, type)) return true;
  if (keyword === "items" && kind === "list") return isTuple(part);
  if (keyword === "pattern" || keyword === "multipleOf") {
    return readKeywords(parts, keyword)[0]?.value !== readKeyword(part, keyword);
  }
  return keyword === "additionalProperties" && kind === "object" && restrictsOthers(part, parts);
}

/** Whether the first items of a list have separate schemas. */
export function isTuple(part: SchemaNode): boolean {
  return readKeyword(part, "prefixItems") !== undefined || isJsonArray(readKeyword(part, "items") ?? null);
}

/**
 * Whether `additionalProperties` of a part restricts properties that only other parts describe, because the keyword
 * treats them as additional.
 */
function restrictsOthers(part: SchemaNode, parts: readonly SchemaNode[]): boolean {
  const additional = readKeyword(part, "additionalProperties");
  if (additional === true || (isJsonObject(additional) && Object.keys(additional).length === 0)) return false;
  const own = readKeyword(part, "properties");
  const others = parts.filter((other) => other !== part);
  const siblings = readKeywords(others, "properties").flatMap(({ value }) =>
    isJsonObject(value) ? Object.keys(value) : [],
  );
  if (siblings.some((name) => !isJsonObject(own) || !Object.hasOwn(own, name))) return true;
  return (
    readKeywords(others, "patternProperties").length > 0 ||
    CONDITIONAL.some((keyword) => readKeywords(parts, keyword).length > 0)
  );
}

/**
 * Whether `unevaluatedItems` or `unevaluatedProperties` of the part must be enforced as an assertion. If only
 * `properties` evaluates members, closing the object is sufficient.
 */
function needsEvaluation(part: SchemaNode, parts: readonly SchemaNode[], { kind, untyped }: KindOfType): boolean {
  const items = readKeyword(part, "unevaluatedItems");
  if (items !== undefined && items !== true && (untyped || kind === "list" || kind === "any")) return true;
  const properties = readKeyword(part, "unevaluatedProperties");
  if (properties === undefined || properties === true) return false;
  if (kind !== "object") return untyped || kind === "any";
  return parts.length > 1 || APPLICATORS.some((keyword) => Object.hasOwn(part.schema, keyword));
}

/** Whether `unevaluatedProperties` of any part of an object schema is enforced as an assertion. */
export function isEvaluated(parts: readonly SchemaNode[]): boolean {
  return parts.some((part) => needsEvaluation(part, parts, { kind: "object", untyped: false }));
}

const CONDITIONAL: readonly string[] = ["if", "then", "else", "dependentSchemas", "dependencies"];
const APPLICATORS: readonly string[] = ["$ref", "allOf", "anyOf", "oneOf", "not", ...CONDITIONAL];

/** Properties that an object may have although they are not in `properties`. */
export interface SiblingNames {
  readonly names: ReadonlySet<string>;
  readonly patterns: readonly LinearPattern[];
  /** Whether any name is allowed, because a pattern for names is not enforced. */
  readonly open: boolean;
}

/**
 * Returns the patterns in `patternProperties` and the property names in conditional schemas. Assertions validate the
 * values of these properties.
 */
export function siblingNames(parts: readonly SchemaNode[], compilation: Compilation): SiblingNames {
  const names = new Set<string>();
  const patterns: LinearPattern[] = [];
  const seen = new Set<string>();
  let open = false;
  const visit = (node: SchemaNode): void => {
    const key = schemaKey([node]);
    if (seen.has(key)) return;
    seen.add(key);
    const own = flattenSchemas([node], compilation);
    for (const { value } of readKeywords(own, "properties")) {
      if (isJsonObject(value)) for (const name of Object.keys(value)) names.add(name);
    }
    collectPatterns(own);
    for (const part of own)
      for (const inner of branchesOf(part, [...CONDITIONAL, "anyOf", "oneOf"], compilation)) visit(inner);
  };
  const collectPatterns = (own: readonly SchemaNode[]): void => {
    for (const { value, path } of readKeywords(own, "patternProperties")) {
      for (const source of Object.keys(isJsonObject(value) ? value : {})) {
        const pattern = checkedPattern(source, [...path, source], compilation.findings);
        if (pattern === undefined) open = true;
        else patterns.push(pattern);
      }
    }
  };
  collectPatterns(parts);
  for (const part of parts) for (const inner of branchesOf(part, CONDITIONAL, compilation)) visit(inner);
  return { names, patterns, open };
}

/** Returns the schemas under the given keywords of a part, which apply to the same value as the part. */
function branchesOf(part: SchemaNode, keywords: readonly string[], { findings }: Compilation): readonly SchemaNode[] {
  return keywords.flatMap((keyword) => {
    const value = readKeyword(part, keyword);
    const path = [...part.path, keyword];
    if (value === undefined) return [];
    if (isJsonArray(value)) return value.map((one, index) => schemaNodeAt(one, [...path, index], findings));
    if (!keyword.startsWith("depend")) return [schemaNodeAt(value, path, findings)];
    const entries = Object.entries(isJsonObject(value) ? value : {}).filter(([, one]) => !isJsonArray(one));
    return entries.map(([name, one]) => schemaNodeAt(one, [...path, name], findings));
  });
}

/**
 * Reports the keywords of a part whose schemas have rules. These schemas are enforced only as assertions, so their
 * rules have no effect.
 */
function reportLostRules(part: SchemaNode, keywords: readonly string[], compilation: Compilation): void {
  for (const keyword of keywords) {
    const path = [...part.path, keyword];
    const value = part.schema[keyword];
    // The compiled types also contain the schema of additional properties, with its rules.
    if (keyword === "additionalProperties" || value === undefined) continue;
    if (!hasRules(value, compilation, new Set())) continue;
    const message = `the rules (x-rules) below "${keyword}" are not applied`;
    compilation.findings.add("warning", "not-enforced", message, path);
  }
}

/** Whether a schema, a list of schemas or a map of schemas has rules at any depth. Follows references. */
function hasRules(value: JsonValue, compilation: Compilation, seen: Set<JsonValue>): boolean {
  if (isJsonArray(value)) return value.some((item) => hasRules(item, compilation, seen));
  if (!isJsonObject(value) || seen.has(value)) return false;
  seen.add(value);
  return Object.entries(value).some(([name, member]) => {
    if (name === "x-rules") return true;
    if (name !== "$ref" || typeof member !== "string") return hasRules(member, compilation, seen);
    const target = parseFragment(member);
    return target !== undefined && hasRules(valueAt(compilation.document, target) ?? null, compilation, seen);
  });
}
