import type { AttrPath } from "../../json/attr.ts";
import type { JsonValue } from "../../json/json-value.ts";
import { type LinearPattern, linearPattern, regularExpression } from "../../text/linear-pattern.ts";
import { slowPatternReason } from "../../text/slow-pattern.ts";
import type { Findings } from "../contract-findings.ts";

/**
 * Compiles a pattern of the contract: ECMA-262 with the u flag, as JSON Schema requires, or without it if only the
 * older syntax is valid. Adds a finding and returns undefined for an invalid pattern, and for a pattern that cannot be
 * matched in linear time, because a crafted cell could block validation for hours. The platform still enforces such a
 * pattern.
 */
export function checkedPattern(source: JsonValue, path: AttrPath, findings: Findings): LinearPattern | undefined {
  const pattern =
    typeof source === "string" ? (regularExpression(source, "u") ?? regularExpression(source, "")) : undefined;
  if (pattern === undefined) {
    findings.add(
      "error",
      "bad-pattern",
      "the pattern is not an ECMAScript regular expression; it is not enforced",
      path,
    );
    return undefined;
  }
  const linear = linearPattern(pattern);
  if (linear !== undefined) return linear;
  const why = slowPatternReason(pattern.source) ?? "";
  const message = `the pattern could take more than linear time (${why}), and RE2 does not support all of its syntax; it is not enforced`;
  findings.add("warning", "not-enforced", message, path);
  return undefined;
}
