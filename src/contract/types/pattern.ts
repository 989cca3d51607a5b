import type { AttrPath } from "../../json/attr.ts";
import type { JsonValue } from "../../json/json-value.ts";
import { type LinearPattern, linearPattern, regularExpression } from "../../text/linear-pattern.ts";
import { slowPatternReason } from "../../text/slow-pattern.ts";
import type { Findings } from "../contract-findings.ts";

/**
 * Compiles a pattern of the contract: ECMA-262 with the u flag, as JSON Schema requires, or without that flag if only
 * the older syntax is valid. Adds a finding and returns undefined for an invalid pattern, and for a pattern that cannot
 * be matched in linear time, because a crafted cell could block validation for hours. The platform still enforces such
 * a pattern.
 */
export function checkedPattern(source: JsonValue, path: AttrPath, findings: Findings): LinearPattern | undefined {
  const pattern =
    typeof source === "string" ? (regularExpression(source, "u") ?? regularExpression(source, "")) : undefined;
  if (pattern === undefined) {
    const message = "the pattern is not an ECMAScript regular expression; it is not enforced";
    return findings.add("error", "bad-pattern", message, path);
  }
  const linear = linearPattern(pattern);
  if (linear !== undefined) return linear;
  const why = slowPatternReason(pattern.source) ?? "";
  const message = `the pattern could take more than linear time (${why}), and RE2 does not support all of its syntax; it is not enforced`;
  return findings.add("warning", "not-enforced", message, path);
}

/** The digits that a pattern allows in a decimal. */
export interface PatternDigits {
  readonly whole: number;
  readonly places: number;
  readonly allowsMinus: boolean;
}

/**
 * Returns the digits allowed by a pattern such as `^-?\d{0,10}(?:\.\d{0,2})?$`, which operators' documents use for
 * decimals. Returns undefined for any other pattern.
 */
export function digitsOf({ source }: LinearPattern): PatternDigits | undefined {
  const match = /^\^(-\?)?\\d\{0,(\d+)\}\(\?:\\\.\\d\{0,(\d+)\}\)\?\$$/.exec(source);
  if (match === null) return undefined;
  return { whole: Number(match[2]), places: Number(match[3]), allowsMinus: match[1] !== undefined };
}
