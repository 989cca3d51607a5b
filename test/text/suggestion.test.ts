import { describe, expect, it, test } from "vitest";
import { didYouMean, listed, suggest, suggestionOr } from "../../src/text/suggestion.ts";

it.each([
  ["costumers", ["customers", "consumers", "notes"], "customers"],
  ["Billing_Name", ["billing_name"], "billing_name"],
  ["maxLenght", ["minLength", "maxLength"], "maxLength"],
  ["emial", ["name", "mail", "email"], "email"],
  ["CUTS", ["ACC", "CUST"], "CUST"],
  ["serial_number", ["meter_point", "meter_serial_number", "old_meter_serial_number"], "meter_serial_number"],
  ["METER SERIAL", ["POINT", "SERIAL"], "SERIAL"],
  ["ref", ["account_ref", "x_ref"], undefined],
  ["x", ["external_account_number"], undefined],
  ["balance", [], undefined],
  ["z", ["n"], undefined],
  ["N", ["n"], "n"],
])("for %s among %j, `suggest` returns the nearest candidate, or undefined", (word, candidates, expected) => {
  expect(suggest(word, candidates)).toBe(expected);
});

const words = (count: number): string[] => Array.from({ length: count }, (_, index) => `w${index + 1}`);

describe("a list of names in a message", () => {
  test.each([
    [[], "none"],
    [["a"], "a"],
    [["a", "b"], "a, b"],
    [words(20), words(20).join(", ")],
    [words(21), `${words(20).join(", ")} and 1 more`],
    [words(30), `${words(20).join(", ")} and 10 more`],
  ])("for %j is %j", (names, text) => {
    expect(listed(names)).toBe(text);
  });
});

test("a suggestion says that two names differ only in the Unicode form of their accents", () => {
  const [composed, decomposed] = ["Größe".normalize("NFC"), "Größe".normalize("NFD")];
  const expected = `did you mean "${decomposed}"? (it looks the same, but stores accents in another Unicode form: copy the name from the file)`;
  expect(suggest(composed, ["Straße", decomposed])).toBe(decomposed);
  expect(didYouMean(composed, [decomposed])).toBe(`; ${expected}`);
  expect(suggestionOr("", composed, [decomposed])).toBe(expected);
  expect(didYouMean("Grösse", [composed])).toBe(`; did you mean "${composed}"?`);
});
