import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { findOperation } from "../../src/contract/operations/find-operation.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import { compileMapping } from "../../src/map/compile-mapping.ts";
import { readMapping } from "../../src/map/document/mapping-document.ts";
import { failureOf, NO_VALUES } from "./rows.ts";

const fixtures = new URL("../../fixtures/", import.meta.url);
const contractText = readFileSync(new URL("contract/contract.yaml", fixtures), "utf8");
const contract = loadContract([{ file: "contract.yaml", text: contractText }]);
const operation = findOperation(contract, "POST /data-import/accounts/");

const REFUSALS: Readonly<Record<string, string>> = {
  "empty.yaml": "empty.yaml: this file is empty",
  "endless-pattern.yaml":
    "endless-pattern.yaml:2:42: payload.billing_name.replace.pattern: " +
    "an unlimited repeat (*, +, {n,}) must apply to a single character or class",
  "forbidden-name.yaml": "forbidden-name.yaml:2:3: the name __proto__ is not allowed",
  "missing-payload.yaml": "missing-payload.yaml:1:1: the mapping has no payload",
  "name-twice.yaml": 'name-twice.yaml:3:3: the name "billing_name" occurs twice in one object',
  "several-errors.yaml": [
    "several-errors.yaml: 5 errors in the mapping",
    '  several-errors.yaml:1:1: key: the payload has no field "external_account"',
    "  several-errors.yaml:4:19: payload.account_type.value: is not one of the contract's choices; " +
      'did you mean "DOMESTIC"?',
    "  several-errors.yaml:5:3: payload.balance: `date` produces a date, but the contract requires a decimal here",
    "  several-errors.yaml:6:3: payload.customers: is a list in the contract; " +
      "write a list of items (- ...), { each: <child source>, item: ... }, or { from: <column>, split: <text> }",
    "  several-errors.yaml:7:47: payload.payment.reminder_after_days: the contract has no such attr; " +
      "known names: method, day, amount, mandate_reference",
  ].join("\n"),
  "two-roots.yaml":
    "two-roots.yaml:3:3: sources.customers: accounts, customers have no parent; only one source can be the source of the records",
  "undocumented-attr.yaml": "undocumented-attr.yaml:3:3: payload.billing_postcod: the contract has no such attr",
  "unknown-option.yaml": "unknown-option.yaml:2:39: payload.billing_postcode.uper: is unknown",
};

test("a failure is listed for every fixture of a bad mapping", () =>
  expect(readdirSync(new URL("map/bad/", fixtures)).toSorted()).toEqual(Object.keys(REFUSALS).toSorted()));

test.each(Object.entries(REFUSALS))("%s is rejected with the listed failure", (file, message) => {
  const text = readFileSync(new URL(`map/bad/${file}`, fixtures), "utf8");
  const failure = failureOf(() => compileMapping(readMapping({ file, text }), operation, NO_VALUES));
  expect(failure.code).toBe("mapping_invalid");
  expect(failure.exitCode).toBe(2);
  expect(failure.message).toBe(message);
});
