import { z } from "zod";
import type { AttrPath } from "../../json/attr.ts";
import { isLongNumber } from "../../json/decimal-arithmetic.ts";
import { definedMembers } from "../../json/defined-members.ts";
import type { JsonValue } from "../../json/json-value.ts";
import { readRules } from "../../rules/language/read-rules.ts";
import type { Rule } from "../../rules/language/rule.ts";
import { reportRuleIssues } from "../contract-findings.ts";
import { compareLimits, type NumericLimit, PLAIN_TYPE, type PublishedValidator, type TypeBase } from "./field-type.ts";
import { type Compilation, readKeyword, readKeywords, type SchemaNode } from "./schema-node.ts";

/**
 * Reads the values of keywords from the parts of a schema. Ignores values of the wrong type. Adds a finding for an
 * invalid number.
 */
interface KeywordReader {
  readonly text: (keyword: string) => string | undefined;
  readonly isTrue: (keyword: string) => boolean;
  /** The strictest count: the largest minimum or the smallest maximum. */
  readonly count: (keyword: string, tightest: "largest" | "smallest") => number | undefined;
  readonly minimum: () => NumericLimit | undefined;
  readonly maximum: () => NumericLimit | undefined;
  /** The value in the schema nearest to the field; the values in other schemas become assertions. */
  readonly multipleOf: () => number | undefined;
  /** Reports limits that no value can satisfy. */
  readonly checkOrder: (low: number | undefined, high: number | undefined, keyword: string) => void;
}

export function keywordReader(parts: readonly SchemaNode[], { findings, contradict }: Compilation): KeywordReader {
  const wrong = (keyword: string, wanted: string, path: AttrPath): undefined =>
    findings.add("error", "bad-keyword", `"${keyword}" must be ${wanted}; it is not enforced`, path);

  const numbers = (keyword: string, wanted: string, read: (value: number) => number | undefined): readonly number[] =>
    readKeywords(parts, keyword).flatMap(({ value, path }) => {
      const number = numberOf(value);
      const found = number === undefined ? undefined : read(number);
      return found ?? wrong(keyword, wanted, path) ?? [];
    });

  const limits = (keyword: "minimum" | "maximum"): readonly NumericLimit[] =>
    parts.flatMap((part) => limitsOf(part, keyword, wrong));

  return {
    text: (keyword) => {
      const values = readKeywords(parts, keyword).map(({ value }) => value);
      return values.find((value) => typeof value === "string");
    },
    isTrue: (keyword) => readKeywords(parts, keyword).some(({ value }) => value === true),
    count: (keyword, tightest) => {
      const counts = numbers(keyword, "a whole number, 0 or more", countOf);
      const ascending = counts.toSorted((one, other) => one - other);
      return tightest === "largest" ? ascending.at(-1) : ascending[0];
    },
    minimum: () =>
      limits("minimum").toSorted((one, other) => -compareLimits(one, other) || exclusiveFirst(one, other))[0],
    maximum: () =>
      limits("maximum").toSorted((one, other) => compareLimits(one, other) || exclusiveFirst(one, other))[0],
    multipleOf: () => {
      const [step] = numbers("multipleOf", "a number above 0", (value) => (value > 0 ? value : undefined));
      if (step !== Infinity) return step;
      const [path] = readKeywords(parts, "multipleOf").map((located) => located.path);
      const message = '"multipleOf" is greater than any number; it is not enforced';
      return findings.add("warning", "not-enforced", message, path ?? []);
    },
    checkOrder: (low, high, keyword) => {
      if (low === undefined || high === undefined || low <= high) return;
      const place = readKeywords(parts, keyword)[0]?.path ?? parts[0]?.path ?? [];
      contradict(`the minimum (${low}) is greater than the maximum (${high})`, place);
    },
  };
}

/**
 * Returns the value as a count, or undefined if it is negative or fractional. Converts Infinity to a count that no
 * input reaches.
 */
export function countOf(value: number): number | undefined {
  if (value === Infinity) return Number.MAX_SAFE_INTEGER;
  return Number.isInteger(value) && value >= 0 ? value : undefined;
}

/**
 * Returns the value as a number. The value may also be the text of a number with too many digits or too large an
 * exponent (`parseDocument`). Returns undefined for any other value.
 */
export function numberOf(value: JsonValue): number | undefined {
  if (typeof value === "string") return isLongNumber(value) ? Number(value) : undefined;
  return typeof value === "number" ? value : undefined;
}

function limitAt(value: JsonValue | undefined, exclusive: boolean): NumericLimit | undefined {
  if (typeof value === "number") return { value, exclusive };
  return isLongNumber(value) ? { value: Number(value), exact: value, exclusive } : undefined;
}

function exclusiveFirst(one: NumericLimit, other: NumericLimit): number {
  return Number(other.exclusive) - Number(one.exclusive);
}

/**
 * Returns the limits of a part. `exclusiveMinimum` is a boolean next to `minimum` in OpenAPI 3.0, and a separate limit
 * in 3.1.
 */
function limitsOf(
  part: SchemaNode,
  keyword: "minimum" | "maximum",
  wrong: (keyword: string, wanted: string, path: AttrPath) => undefined,
): readonly NumericLimit[] {
  const strict = keyword === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum";
  const plain = readKeyword(part, keyword);
  const exclusive = readKeyword(part, strict);
  const limit = limitAt(plain, exclusive === true);
  const strictLimit = limitAt(exclusive, true);
  if (limit === undefined && plain !== undefined) wrong(keyword, "a number", [...part.path, keyword]);
  if (strictLimit === undefined && isMisplaced(plain, exclusive))
    wrong(strict, `a number, or true together with "${keyword}"`, [...part.path, strict]);
  return [limit, strictLimit].filter((one) => one !== undefined);
}

function isMisplaced(plain: JsonValue | undefined, exclusive: JsonValue | undefined): boolean {
  if (exclusive === undefined || exclusive === false) return false;
  return exclusive !== true || plain === undefined;
}

/**
 * Returns the properties of a type that do not depend on its kind. The title, description and default come from the
 * part nearest to the field. The rules and published validators of all parts apply.
 */
export function baseType(parts: readonly SchemaNode[], nullable: boolean, compilation: Compilation): TypeBase {
  const { findings, direction } = compilation;
  if (direction === "reply") return { ...PLAIN_TYPE, nullable };
  const reader = keywordReader(parts, compilation);
  const title = reader.text("title");
  const description = reader.text("description");
  const defaultValue = readKeywords(parts, "default")[0]?.value;
  const rules = parts.flatMap((part) => rulesOf(part, compilation));
  return {
    nullable,
    deprecated: reader.isTrue("deprecated"),
    validators: parts.flatMap((part) => validatorsOf(part, findings)),
    ...definedMembers({ title, description, default: defaultValue }),
    ...(rules.length === 0 ? {} : { rules }),
  };
}

/**
 * Validators as published by operators: a name, a description (either may be null), and the codes that the platform may
 * return.
 */
const validatorsSchema = z.array(
  z.object({
    name: z.string().nullish(),
    description: z.string().nullish(),
    possible_errors: z.array(z.string()).default([]),
  }),
);

function validatorsOf(part: SchemaNode, findings: Compilation["findings"]): readonly PublishedValidator[] {
  const written = readKeyword(part, "x-validators");
  if (written === undefined) return [];
  const validators = validatorsSchema.safeParse(written);
  if (!validators.success) {
    const message =
      '"x-validators" must be a list of objects, with text or null as name and description, and a list of codes as possible_errors';
    findings.add("error", "bad-extension", message, [...part.path, "x-validators"]);
    return [];
  }
  return validators.data.map(({ name, description, possible_errors: codes }) => ({
    name: name ?? "",
    description: description ?? "",
    codes,
  }));
}

/** Returns the same rule objects wherever the part is used, so that they can be compared by identity. */
function rulesOf(part: SchemaNode, { findings, rules }: Compilation): readonly Rule[] {
  const written = readKeyword(part, "x-rules");
  if (written === undefined) return [];
  const known = rules.get(written) ?? readRules(written, [...part.path, "x-rules"], reportRuleIssues(findings));
  rules.set(written, known);
  return known;
}
