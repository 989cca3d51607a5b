import { describe, expect, it } from "vitest";
import { judgeWith } from "./judge-case.ts";
import { casesOf } from "./rule-cases.ts";
import { contractOfRules, OPERATORS, rulesOf, withOnly, writtenRules } from "./shipped-overlay.ts";

describe.each(OPERATORS)("the rules of overlay:%s", (operator) => {
  const contract = contractOfRules(operator);
  const cases = ["shared", operator].flatMap(casesOf);

  it("compile without errors", () => {
    const errors = contract.findings.filter(({ severity }) => severity === "error");
    expect(errors.map(({ place, message }) => `${place.file}:${place.line} ${message}`)).toEqual([]);
  });

  it.each(cases)("$file: $rule on $on accepts valid payloads and reports the attrs of invalid payloads", (one) => {
    const judge = judgeWith(contract, one);
    const expected = one.attr.map((attr) => `${one.severity} ${attr}`).toSorted();
    expect(one.passes.map((payload) => judge(payload))).toEqual(one.passes.map(() => []));
    expect(one.fails.map((payload) => judge(payload).toSorted())).toEqual(one.fails.map(() => expected));
  });
});

/** A code may have several rules, and each rule needs a case. Therefore each rule is tested alone. */
describe.each(["shared", ...OPERATORS])("%s.yaml", (name) => {
  const operator = OPERATORS.find((one) => one === name) ?? "gb";
  const contract = contractOfRules(operator);
  const cases = casesOf(name);
  const ownRules = writtenRules(name).map((rule) => {
    const [schema = ""] = rule.schemas;
    const twins = rulesOf(operator).filter(({ schemas }) => schemas.includes(schema));
    return { ...rule, schema, position: twins.findIndex(({ place }) => place === rule.place) };
  });

  it.each(ownRules)(
    "has a case that violates the rule $code on $schema ($place)",
    ({ code, schema, schemas, position }) => {
      const alone = withOnly(contract, schema, position);
      const own = cases.filter((one) => one.rule === code && schemas.includes(one.on));
      const breaking = own.filter((one) => {
        const judge = judgeWith(alone, { ...one, on: schema });
        return one.fails.some((payload) => judge(payload).length > 0);
      });
      expect(breaking.map(({ file }) => file)).not.toEqual([]);
    },
  );

  it("has a rule for every case", () => {
    const rules = rulesOf(operator).flatMap(({ code, schemas }) => schemas.map((schema) => `${code} on ${schema}`));
    const known = new Set(rules);
    expect(cases.map((one) => `${one.rule} on ${one.on}`).filter((one) => !known.has(one))).toEqual([]);
  });
});
