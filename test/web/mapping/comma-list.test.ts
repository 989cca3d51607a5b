import fc from "fast-check";
import { expect, test } from "vitest";
import { readCommaList, writeCommaList } from "../../../src/web/client/pages/mapping/comma-list.ts";

test.each([
  ["D, B", ["D", "B"]],
  ["", []],
  [",", []],
  ["a,", ["a"]],
  ['a, ""', ["a", ""]],
  ["a,,", ["a", ""]],
  ["a,,b", ["a", "", "b"]],
  ['"Dual, gas", E', ["Dual, gas", "E"]],
  ['5" pipe, "7"" pipe"', ['5" pipe', '7" pipe']],
])("%j is read as separate texts", (text, texts) => {
  expect(readCommaList(text)).toEqual(texts);
});

test("every list of texts is read as it was written", () => {
  const text = fc.string({ unit: fc.constantFrom("a", ",", '"', " ", "é") });
  fc.assert(
    fc.property(fc.array(text, { maxLength: 4 }), (texts) => {
      expect(readCommaList(writeCommaList(texts))).toEqual(texts);
    }),
  );
});
