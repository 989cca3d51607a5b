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

  it.each([
    { kind: "lookup", value: ["a", "b"], source: "list", by: ["a", "b"], test: "found.a is present" },
    { kind: "in-set", value: ["a", "b"], set: [["x", "y"]], negate: true },
  ])("in a list of values is reported if the rule requires it (it used to pass): $kind", (rule) => {
    const references = { list: { columns: ["a", "b"], rows: [{ a: "x", b: "y" }] } };
    expect(problemsOfRule(rule, { a: "x" }, { references })).toEqual([]);
    expect(problemsOfRule({ ...rule, "skip-if-missing": false }, { a: "x" }, { references })).toEqual([OBJECT_PROBLEM]);
  });
});
