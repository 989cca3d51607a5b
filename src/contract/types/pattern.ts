import type { AttrPath } from "../../json/attr.ts";
import type { JsonValue } from "../../json/json-value.ts";
import { type LinearPattern, linearPattern, regularExpression } from "../../text/linear-pattern.ts";
import { slowPatternReason } from "../../text/slow-pattern.ts";
import type { Findings } from "../contract-findings.ts";

/**
 * A compiled pattern of the contract: ECMA-262 with the u flag, as JSON Schema requires, or without it if only the
 * older syntax is valid. An invalid pattern is a finding and returns undefined. So does one that cannot be matched in
 * linear time, because a crafted cell could block it for hours; it is left to the platform.
 */
export function checkedPattern(source: JsonValue, path: AttrPath, findings: Findings): LinearPattern | undefined {
  const pattern =
    typeof source === "string" ? (regularExpression(source, "u") ?? regularExpression(source, "")) : undefined;
  if (pattern === undefined) {
    findings.add(
      "error",
      "bad-pattern",
      "the pattern is no regular expression of ECMAScript; it is not enforced",
      path,
    );
    return undefined;
  }
  const linear = linearPattern(pattern);
  if (linear !== undefined) return linear;
  const why = slowPatternReason(pattern.source) ?? "";
  const message = `the pattern could take more than linear time (${why}), and RE2 does not know all that is in it; it is not enforced`;
  findings.add("warning", "not-enforced", message, path);
  return undefined;
}
