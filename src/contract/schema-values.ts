import type { AttrPath } from "../model/attr.ts";
import type { JsonValue } from "../model/json.ts";
import type { NumericLimit } from "./field-type.ts";
import type { Findings } from "./findings.ts";
import { read, readAll, type SchemaNode } from "./schema-node.ts";

/** Reads the values of keywords out of the parts of a schema; a value of the wrong kind is a finding and left out. */
export interface KeywordReader {
  readonly text: (keyword: string) => string | undefined;
  readonly isTrue: (keyword: string) => boolean;
  /** The tightest of the counts: the largest of the minima, the smallest of the maxima. */
  readonly count: (keyword: string, tightest: "largest" | "smallest") => number | undefined;
  readonly minimum: () => NumericLimit | undefined;
  readonly maximum: () => NumericLimit | undefined;
  readonly multipleOf: () => number | undefined;
  /** Says so when no value can satisfy both. */
  readonly checkOrder: (low: number | undefined, high: number | undefined, keyword: string) => void;
}

export function keywordReader(parts: readonly SchemaNode[], findings: Findings): KeywordReader {
  const wrong = (keyword: string, wanted: string, path: AttrPath): void =>
    findings.add("error", "bad-keyword", `"${keyword}" must be ${wanted}; it is not enforced`, path);

  const numbers = (keyword: string, wanted: string, fits: (value: number) => boolean): readonly number[] =>
    readAll(parts, keyword).flatMap(({ value, path }) => {
      if (typeof value === "number" && fits(value)) return [value];
      wrong(keyword, wanted, path);
      return [];
    });

  const limits = (keyword: "minimum" | "maximum"): readonly NumericLimit[] =>
    parts.flatMap((part) => limitsOf(part, keyword, wrong));

  return {
    text: (keyword) => {
      const texts = readAll(parts, keyword).filter(({ value }) => typeof value === "string");
      return texts.map(({ value }) => value).find((value) => typeof value === "string");
    },
    isTrue: (keyword) => readAll(parts, keyword).some(({ value }) => value === true),
    count: (keyword, tightest) => {
      const counts = numbers(keyword, "a whole number, 0 or more", (value) => Number.isInteger(value) && value >= 0);
      if (counts.length === 0) return undefined;
      return tightest === "largest" ? Math.max(...counts) : Math.min(...counts);
    },
    minimum: () => limits("minimum").toSorted((one, other) => other.value - one.value || strictFirst(one, other))[0],
    maximum: () => limits("maximum").toSorted((one, other) => one.value - other.value || strictFirst(one, other))[0],
    multipleOf: () => {
      const [first, ...others] = numbers("multipleOf", "a number above 0", (value) => value > 0);
      const other = others.find((value) => value !== first);
      if (other !== undefined) findings.add("warning", "not-enforced", notBoth(first, other), parts[0]?.path ?? []);
      return first;
    },
    checkOrder: (low, high, keyword) => {
      if (low === undefined || high === undefined || low <= high) return;
      const place = readAll(parts, keyword)[0]?.path ?? parts[0]?.path ?? [];
      findings.add(
        "error",
        "contradiction",
        `the least allowed (${low}) is above the most (${high}); no value fits`,
        place,
      );
    },
  };
}

function notBoth(first: number | undefined, other: number): string {
  return `only one "multipleOf" is enforced (${first}), ${other} is not`;
}

function strictFirst(one: NumericLimit, other: NumericLimit): number {
  return Number(other.exclusive) - Number(one.exclusive);
}

/** `exclusiveMinimum` is a boolean beside `minimum` in OpenAPI 3.0 and a limit of its own in 3.1. */
function limitsOf(
  part: SchemaNode,
  keyword: "minimum" | "maximum",
  wrong: (keyword: string, wanted: string, path: AttrPath) => void,
): readonly NumericLimit[] {
  const strict = keyword === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum";
  const plain = read(part, keyword);
  const exclusive = read(part, strict);
  const limits: NumericLimit[] = [];
  if (typeof plain === "number") limits.push({ value: plain, exclusive: exclusive === true });
  else if (plain !== undefined) wrong(keyword, "a number", [...part.path, keyword]);
  if (typeof exclusive === "number") limits.push({ value: exclusive, exclusive: true });
  else if (isMisplaced(plain, exclusive))
    wrong(strict, `a number, or true beside "${keyword}"`, [...part.path, strict]);
  return limits;
}

function isMisplaced(plain: JsonValue | undefined, exclusive: JsonValue | undefined): boolean {
  if (exclusive === undefined || exclusive === false) return false;
  return exclusive !== true || plain === undefined;
}
