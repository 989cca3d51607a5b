import { describe, expect, it } from "vitest";
import { problemsOfRule } from "../compiled-rules.ts";
import { OBJECT_PROBLEM } from "../check-cases.ts";

describe("a missing operand", () => {
  it.each([
    { kind: "date-order", earlier: "a", later: "b" },
    { kind: "not-future", value: "a" },
    { kind: "within", value: "a", min: 1 },
    { kind: "matches-format", value: "a", format: "mpan" },
    { kind: "in-set", value: "a", set: ["x"] },
    { kind: "conditional-value", field: "a", is: ["x"] },
    { kind: "sum-equals", sum: "a", equals: "b" },
    { kind: "refers-to", value: "a", in: "b" },
    { kind: "covered-by", value: "a", list: "l[]", start: "s", end: "e" },
  ])("passes unless the rule requires the operand: $kind", (rule) => {
    expect(problemsOfRule(rule, {})).toEqual([]);
    expect(problemsOfRule({ ...rule, "skip-if-missing": false }, {})).toEqual([OBJECT_PROBLEM]);
  });
});
