import type { PayloadFinding } from "../model/problem.ts";

/** What is said of a value that the contract's pattern does not match: the pattern itself is what an engineer needs. */
export function wrongForm(pattern: RegExp): PayloadFinding {
  return { code: "invalid", expected: "pattern", written: { as: pattern.source } };
}
