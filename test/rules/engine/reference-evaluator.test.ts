import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Contract } from "../../../src/contract/contract.ts";
import type { FieldType } from "../../../src/contract/types/field-type.ts";
import { isJsonObject, type JsonObject } from "../../../src/json/json-value.ts";
import { compileRules } from "../../../src/rules/engine/compile-rules.ts";
import type { RuleContext } from "../../../src/rules/engine/rule-context.ts";
import { requirementsOf, rulesWithin } from "../../../src/rules/engine/rule-requirements.ts";
import { campaignSize } from "../../campaign.ts";
import { DOCUMENTS_EXIST, exampleRequests, loadDocument, OPERATORS } from "../../conformance/operators-documents.ts";
import { findOperation } from "../../../src/contract/operations/find-operation.ts";
import { ruleContextOf } from "../../overlays/judge-case.ts";
import { casesOf } from "../../overlays/rule-cases.ts";
import { contractOfRules } from "../../overlays/shipped-overlay.ts";
import { compileRules as compileReference } from "../reference/compile-rules.ts";
import { attrsIn, type Choices, choicesFrom, literalsIn, mutated, valueMaker } from "./random-payloads.ts";

/** Compares the evaluators for one payload. Returns the number of problems found. */
type Compare = (payload: JsonObject, choices: Choices) => number;

/**
 * The reference evaluator runs every rule for every object that has the rule. The evaluator of the program omits rules
 * that a payload cannot break. Both must find the same problems, in the same order.
 */
function comparison(body: FieldType, context: RuleContext): Compare {
  const options = { keepValues: true };
  const [rules, reference] = [compileRules(body, context, options), compileReference(body, context, options)];
  return (payload, choices) => {
    const attrs = attrsIn(payload);
    const isReported = choices.number(3) === 0;
    const reported = new Set(isReported ? attrs.filter(() => choices.number(8) === 0) : []);
    const expected = reference?.(payload, reported) ?? [];
    expect(rules?.(payload, reported) ?? []).toEqual(expected);
    return expected.length;
  };
}

/** Returns the number of problems found. */
function compareRandomly(runs: number, compare: (choices: Choices) => number): number {
  let problems = 0;
  const property = fc.property(fc.integer(), (seed) => {
    problems += compare(choicesFrom(seed));
  });
  fc.assert(property, { numRuns: runs });
  return problems;
}

describe.each(OPERATORS)("the cases of overlay:%s", (operator) => {
  const contract = contractOfRules(operator);
  const compared = ["shared", operator].flatMap(casesOf).map((one) => {
    const { body } = findOperation(contract, one.on);
    if (body === undefined) throw new Error(`there is no schema ${one.on}`);
    return { one, compare: comparison(body, ruleContextOf(contract, one)) };
  });

  it("have the problems that the reference evaluator finds, even after random changes", () => {
    const runs = campaignSize({ part: 3, whole: 9 });
    const found = compareRandomly(runs, (choices) => {
      let problems = 0;
      for (const { one, compare } of compared) {
        for (const payload of [...one.passes, ...one.fails]) problems += compare(mutated(payload, choices), choices);
      }
      return problems;
    });
    expect(found).toBeGreaterThan(25 * runs);
  });
});

/** Returns a context with every setting and every reference list that the rules need. */
function richContext(contract: Contract, body: FieldType): RuleContext {
  const { ruleDeclarations } = contract;
  const settings: Record<string, string | number | boolean | string[]> = {};
  for (const [name, { type, default: standard }] of ruleDeclarations.settings) {
    const value = standard ?? { boolean: true, number: 2, text: "GB", list: ["A", "B"] }[type];
    settings[name] = typeof value === "object" ? [...value] : value;
  }
  const columns = new Map<string, Set<string>>();
  for (const rule of rulesWithin(body)) {
    for (const [name, { keys, read }] of requirementsOf(rule, ruleDeclarations).lists) {
      const known = columns.get(name) ?? new Set<string>();
      for (const column of [...keys, ...read]) known.add(column);
      columns.set(name, known);
    }
  }
  const references = Object.fromEntries(
    [...columns].map(([name, names]) => {
      const row = (text: string): JsonObject => Object.fromEntries([...names].map((column) => [column, text]));
      return [name, [row("A"), row("00001"), { ...row("B"), rates: "2", available_from: "2024-06-14" }]];
    }),
  );
  return ruleContextOf(contract, { rules: settings, references });
}

describe.skipIf(!DOCUMENTS_EXIST).each(OPERATORS)("payloads of the published document of %s", (operator) => {
  const contract = DOCUMENTS_EXIST ? loadDocument(operator, "shipped") : contractOfRules(operator);
  const examples = DOCUMENTS_EXIST ? exampleRequests(operator, contract) : [];
  const accounts = contract.operations.filter(({ id }) => id.startsWith("V1 Create"));

  it("have the problems that the reference evaluator finds", () => {
    let rules = 0;
    let problems = 0;
    for (const { body } of accounts) {
      if (body === undefined) continue;
      rules += rulesWithin(body).length;
      const make = valueMaker(literalsIn(rulesWithin(body)));
      const compared = [ruleContextOf(contract, {}), richContext(contract, body)].map((context) =>
        comparison(body, context),
      );
      problems += compareRandomly(campaignSize({ part: 30, whole: 40 }), (choices) => {
        const made = make(body, choices);
        const payload = isJsonObject(made) ? made : {};
        return compared.reduce((sum, compare) => sum + compare(payload, choices), 0);
      });
    }
    expect(problems).toBeGreaterThan(rules);
  });

  it("have the problems that the reference evaluator finds, even after random changes to examples", () => {
    const compared = examples.flatMap(({ operation: { body }, payload }) =>
      body === undefined ? [] : [{ payload, compare: comparison(body, richContext(contract, body)) }],
    );
    const problems = compareRandomly(campaignSize({ part: 4, whole: 14 }), (choices) =>
      compared.reduce((sum, { payload, compare }) => sum + compare(mutated(payload, choices), choices), 0),
    );
    expect(problems).toBeGreaterThan(0);
  });
});
