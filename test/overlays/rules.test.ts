import { describe, expect, it } from "vitest";
import { judgeWith } from "./judge-case.ts";
import { casesOf, type RuleCase } from "./rule-cases.ts";
import { contractOfRules, OPERATORS, writtenRules } from "./shipped-overlay.ts";

describe.each(OPERATORS)("the rules of overlay:%s", (operator) => {
  const contract = contractOfRules(operator);
  const cases = ["shared", operator].flatMap(casesOf);

  it("are understood", () => {
    const errors = contract.findings.filter(({ severity }) => severity === "error");
    expect(errors.map(({ place, message }) => `${place.file}:${place.line} ${message}`)).toEqual([]);
  });

  it.each(cases)("$file: $rule on $on lets pass what is right, and names where the rest is wrong", (one) => {
    const judge = judgeWith(contract, one);
    const expected = one.attr.map((attr) => `${one.severity} ${attr}`).toSorted();
    expect(one.passes.map((payload) => judge(payload))).toEqual(one.passes.map(() => []));
    expect(one.fails.map((payload) => judge(payload).toSorted())).toEqual(one.fails.map(() => expected));
  });
});

/** Of a code that has several rules, each has to be shown, so every rule is tried alone. */
describe.each(["shared", ...OPERATORS])("each rule of %s.yaml", (name) => {
  const operator = OPERATORS.find((one) => one === name) ?? "gb";
  const cases = casesOf(name);

  it.each(writtenRules(name))("$code on $schemas.0 is broken by a case", (rule) => {
    const contract = contractOfRules(operator, rule);
    const own = cases.filter((one) => one.rule === rule.code && rule.schemas.includes(one.on));
    const breaking = own.filter((one) => {
      const judge = judgeWith(contract, { ...one, on: rule.schemas[0] ?? "" });
      return one.fails.some((payload) => judge(payload).length > 0);
    });
    expect(breaking.map(({ file }: RuleCase) => file)).not.toEqual([]);
  });

  it("has no case for a rule that is not there", () => {
    const rules = writtenRules(name).flatMap(({ code, schemas }) => schemas.map((schema) => `${code} on ${schema}`));
    const known = new Set(rules);
    expect(cases.map((one) => `${one.rule} on ${one.on}`).filter((one) => !known.has(one))).toEqual([]);
  });
});
