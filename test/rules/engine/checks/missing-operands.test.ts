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

  it.each([
    { kind: "date-order", earlier: "a", later: "m[].v" },
    { kind: "date-order", earlier: "m[].v", later: "a" },
    { kind: "not-future", value: "m[].v" },
    { kind: "within", value: "m[].v", min: 1 },
    { kind: "matches-format", value: "m[].v", format: "iso-date" },
    { kind: "in-set", value: "m[].v", set: ["2026-01-01"] },
    { kind: "conditional-value", field: "m[].v", is: ["2026-01-01"] },
    { kind: "refers-to", value: "m[].v", in: "a" },
    { kind: "covered-by", value: "m[].v", list: "p[]", start: "s", end: "e" },
  ])("in an item of a list is reported at the item: $kind", (rule) => {
    const strict = { ...rule, "skip-if-missing": false, attr: "m[].v" };
    const payload = { a: "2026-01-01", p: [{ s: "2026-01-01" }] };
    for (const incomplete of [{ z: 1 }, { v: " " }, { v: null }]) {
      const m = [{ v: "2026-01-01" }, incomplete, { v: "2026-01-01" }, incomplete];
      expect(problemsOfRule({ ...rule, attr: "m[].v" }, { ...payload, m })).toEqual([]);
      expect(problemsOfRule(strict, { ...payload, m })).toEqual(["m.1.v broken", "m.3.v broken"]);
    }
  });

  it("is reported at the innermost list item on the path, even for a named value", () => {
    const rule = { kind: "in-set", set: ["x"], "skip-if-missing": false, attr: "m[].n[]" };
    const payload = { m: [{ n: [{ v: "x" }, {}] }, {}] };
    const declarations = { "x-rule-values": { value: "v" } };
    for (const value of ["m[].n[].v", "m[].n[].$value"])
      expect(problemsOfRule({ ...rule, value }, payload, { declarations })).toEqual(["m.0.n.1 broken", "m.1.n broken"]);
  });

  it("in an item of a list has the default value of a conditional-value rule", () => {
    const rule = { kind: "conditional-value", field: "m[].v", is: ["1"], attr: "m[].v" };
    const payload = { m: [{ v: "1" }, {}] };
    expect(problemsOfRule({ ...rule, default: "2" }, payload)).toEqual(["m.1.v broken"]);
    expect(problemsOfRule({ ...rule, default: "1" }, payload)).toEqual([]);
  });
});
