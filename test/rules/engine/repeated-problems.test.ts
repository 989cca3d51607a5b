import { expect, it } from "vitest";
import { describeProblem } from "../../../src/report/problems/problem-text.ts";
import { contractOf, judgeOf } from "./compiled-rules.ts";

it("distinguishes items that break the same rule at the same attr", () => {
  const rule = { code: "multiplier_required", kind: "required-when", each: "registers[]", fields: ["multiplier"] };
  const judge = judgeOf(contractOf([rule]));
  const problems = judge({ registers: [{ multiplier: "" }, { multiplier: 1 }, {}] }, new Set());
  expect(problems.map(({ attr }) => attr)).toEqual(["non_field_errors", "non_field_errors"]);
  expect(problems.map(describeProblem)).toEqual([
    "Values are required here: multiplier. At: registers.0.",
    "Values are required here: multiplier. At: registers.2.",
  ]);
});

it("distinguishes values that break the same rule at the same attr", () => {
  const rule = { code: "not_allowed", kind: "forbidden-when", fields: ["email", "registers[].multiplier"] };
  const problems = judgeOf(contractOf([rule]))({ email: "a@b", registers: [{}, { multiplier: 1 }] }, new Set());
  expect(problems.map(describeProblem)).toEqual([
    "No value is allowed here: email, registers.multiplier. At: email.",
    "No value is allowed here: email, registers.multiplier. At: registers.1.multiplier.",
  ]);
});

it("does not name a value again if the attr already names it", () => {
  const rule = { code: "no", kind: "in-set", each: "list[]", value: "kind", set: ["A"], attr: "list[].kind" };
  const problems = judgeOf(contractOf([rule]))({ list: [{ kind: "A" }, { kind: "B" }] }, new Set());
  expect(problems.map(({ attr, at }) => ({ attr, at }))).toEqual([{ attr: "list.1.kind", at: undefined }]);
});
