import { expect, it } from "vitest";
import { missingKeys } from "../../../src/contract/operations/find-operation.ts";
import { contractOf } from "../contract-of.ts";

const text = { type: "string" };

it.each([
  ["external_account_number", ["account_id", "meter_number", "external_account_number"]],
  ["meter_number", ["name", "account_id", "meter_number"]],
  ["account_id", ["name", "account_id"]],
  [undefined, ["name"]],
])("suggests %s as the business key among %j", (likely, names) => {
  const { operations } = contractOf(Object.fromEntries(names.map((name) => [name, text])));
  expect(missingKeys(operations).map((one) => [one.operation.id, one.candidate])).toEqual([["create-thing", likely]]);
});

it("ignores operations with a declared key", () => {
  const { operations } = contractOf({ a: text }, { operation: { "x-migrate-key": "a" } });
  expect(missingKeys(operations)).toEqual([]);
});
