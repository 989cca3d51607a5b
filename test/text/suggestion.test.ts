import { expect, it } from "vitest";
import { suggest } from "../../src/text/suggestion.ts";

it.each([
  ["costumers", ["customers", "consumers", "notes"], "customers"],
  ["Billing_Name", ["billing_name"], "billing_name"],
  ["maxLenght", ["minLength", "maxLength"], "maxLength"],
  ["x", ["external_account_number"], undefined],
  ["balance", [], undefined],
])("%s among %j", (word, candidates, expected) => {
  expect(suggest(word, candidates)).toBe(expected);
});
