import { expect, it } from "vitest";
import type { JsonObject } from "../../../src/json/json-value.ts";
import { COVERAGE_CLASSES, coverageOf } from "../../../src/rules/engine/rule-coverage.ts";
import { contractOf, ruleContextOf } from "./compiled-rules.ts";

function published(...codes: readonly string[]): JsonObject {
  return { name: "A validator", description: "", possible_errors: codes };
}

const BOOK: JsonObject = {
  "x-rule-settings": { flows: { type: "boolean" } },
  "x-rule-coverage": {
    platform: ["account_not_found", "in_order"],
    unclear: ["vague"],
    "not-in-schema": ["gone"],
    partial: ["vague_in_part"],
  },
  components: {
    schemas: {
      Reached: {
        "x-validators": [
          published("in_order", "needs_flows", "needs_list"),
          published("vague"),
          published("a_warning", "vague_in_part"),
        ],
      },
      Response: { "x-validators": [published("account_not_found", "nobody_wrote_one", "gone", "in_order")] },
    },
  },
};

const RULES: readonly JsonObject[] = [
  { code: "in_order", kind: "date-order", earlier: "a", later: "b" },
  { code: "needs_flows", kind: "required-when", when: "config.flows", fields: ["a"] },
  { code: "needs_list", kind: "in-set", value: "a", source: "products", columns: "code" },
  { code: "a_warning", kind: "required-when", fields: ["a"], severity: "warning" },
  { code: "vague_in_part", kind: "required-when", fields: ["a"] },
  { code: "of_our_own", kind: "required-when", fields: ["a"] },
];

it("coverage: puts each published code in one class, where a rule takes precedence over a statement in the contract", () => {
  const contract = contractOf(RULES, BOOK);
  expect(coverageOf(contract, ruleContextOf(contract))).toEqual({
    published: [
      "a_warning",
      "account_not_found",
      "gone",
      "in_order",
      "needs_flows",
      "needs_list",
      "nobody_wrote_one",
      "vague",
      "vague_in_part",
    ],
    byClass: {
      checked: ["in_order"],
      partial: ["a_warning", "vague_in_part"],
      setting: ["needs_flows"],
      reference: ["needs_list"],
      platform: ["account_not_found"],
      unclear: ["vague"],
      "not-in-schema": ["gone"],
      open: ["nobody_wrote_one"],
    },
    rules: 6,
    skipped: 2,
    missing: ["references.products", "rules.flows"],
  });
});

it("coverage: a code is checked if one of its rules is checked", () => {
  const contract = contractOf([...RULES, { code: "needs_flows", kind: "required-when", fields: ["b"] }], BOOK);
  const context = ruleContextOf(contract, {
    settings: { flows: false },
    references: { products: { columns: ["code"], rows: [] } },
  });
  expect(coverageOf(contract, ruleContextOf(contract))?.byClass.checked).toEqual(["in_order", "needs_flows"]);
  expect(coverageOf(contract, context)).toMatchObject({ skipped: 0, byClass: { reference: [], setting: [] } });
});

it("coverage: a rule is skipped if its reference list lacks a column", () => {
  const test = 'found.kind = "A"';
  const rule: JsonObject = { code: "vague", kind: "lookup", value: "a", source: "products", by: "code", test };
  const contract = contractOf([rule], BOOK);
  const without = ruleContextOf(contract, { references: { products: { columns: ["code"], rows: [{ code: "1" }] } } });
  const complete = ruleContextOf(contract, { references: { products: { columns: ["code", "kind"], rows: [] } } });
  expect(coverageOf(contract, without)).toMatchObject({
    missing: ["references.products.kind"],
    byClass: { checked: [] },
  });
  expect(coverageOf(contract, complete)).toMatchObject({ missing: [], byClass: { checked: ["vague"] } });
});

it("coverage: is undefined for a contract without published codes and rules", () => {
  const contract = contractOf([]);
  expect(coverageOf(contract, ruleContextOf(contract))).toBeUndefined();
});

/** Returns the classes that contain the code `vague`. */
function classWith(rules: readonly JsonObject[]): readonly string[] {
  const contract = contractOf(rules, BOOK);
  const coverage = coverageOf(contract, ruleContextOf(contract));
  return COVERAGE_CLASSES.filter((name) => coverage?.byClass[name].includes("vague"));
}

it("coverage: a code with several rules has the class of the strongest rule, in any order", () => {
  const checked: JsonObject = { code: "vague", kind: "required-when", fields: ["a"] };
  const warning: JsonObject = { ...checked, fields: ["b"], severity: "warning" };
  const skipped: JsonObject = { ...checked, fields: ["c"], when: "config.flows" };
  for (const rules of [
    [checked, warning],
    [warning, checked],
    [checked, skipped],
    [skipped, checked],
  ]) {
    expect(classWith(rules)).toEqual(["checked"]);
  }
  expect(classWith([warning, skipped])).toEqual(["partial"]);
  expect(classWith([skipped, warning])).toEqual(["partial"]);
  expect(classWith([skipped])).toEqual(["setting"]);
});

it("coverage: is available if there are only rules, or only published codes", () => {
  const rules = contractOf([{ code: "own", kind: "required-when", fields: ["a"] }]);
  expect(coverageOf(rules, undefined)).toMatchObject({ published: [], rules: 1, skipped: 0 });
  const nested = {
    components: { schemas: { A: { "x-validators": [published("x"), "y", { possible_errors: ["z", 5] }] } } },
  };
  expect(coverageOf(contractOf([], nested), undefined)).toMatchObject({ published: ["x", "z"], rules: 0 });
});
