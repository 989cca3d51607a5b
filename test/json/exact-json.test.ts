import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalJson } from "../../src/json/json-value.ts";
import { compactJson, elementTexts, parseExact } from "../../src/json/exact-json.ts";

test("exact JSON: reads a number as a string if a double would lose digits, otherwise as a number", () => {
  const text = '{"id": 12345678901234567890, "n": 1.5, "tiny": -0.10000000000000000001, "s": "12345678901234567890"}';
  expect(parseExact(text)).toEqual({
    id: "12345678901234567890",
    n: 1.5,
    tiny: "-0.10000000000000000001",
    s: "12345678901234567890",
  });
});

test("exact JSON: reads numbers with the given names as strings with every digit, including trailing zeros", () => {
  const text = '[{"rate": -3.0150, "other": -3.0150, "deep": [{"rate" : 10}]}]';
  expect(parseExact(text, new Set(["rate"]))).toEqual([{ rate: "-3.0150", other: -3.015, deep: [{ rate: "10" }] }]);
});

test.each(["", "{", '{"a":}', "[1,]", "01", '"open', "{} {}"])("%j is invalid JSON", (text) => {
  expect(parseExact(text)).toBeUndefined();
});

test("exact JSON: keeps the original text of the elements of a list, without whitespace", () => {
  const text = '{"note":"results","results":[ {"a": 1.0, "a": "x,]\\"}"}, [ ], "y" ],"more":[1]}';
  expect(elementTexts(text, "results")).toEqual(['{"a":1.0,"a":"x,]\\"}"}', "[]", '"y"']);
  expect(elementTexts('{"results":[1],"\\u0072esults":[2,3]}', "results")).toEqual(["2", "3"]);
  expect(elementTexts('{"results":[]}', "results")).toEqual([]);
  expect(elementTexts('{"inner":{"results":[1]}}', "results")).toEqual([]);
});

test("exact JSON: reads strings of millions of characters", () => {
  const text = `{"results":["${"x".repeat(4_000_000)}","${"\\n".repeat(2_000_000)}"]}`;
  // Not compared with `toBe`, because a failure would print millions of characters.
  expect(canonicalJson(parseExact(text) ?? null) === text).toBe(true);
  expect(elementTexts(text, "results")).toHaveLength(2);
});

test("exact JSON: reads any document like JSON.parse, with the same elements", () => {
  fc.assert(
    fc.property(
      fc.array(fc.jsonValue({ maxDepth: 4 })),
      fc.dictionary(fc.string(), fc.jsonValue()),
      (results, more) => {
        const envelope = { ...more, results };
        const text = JSON.stringify(envelope, undefined, 2);
        expect(JSON.parse(compactJson(text))).toEqual(JSON.parse(text));
        expect(elementTexts(text, "results").map((one): unknown => JSON.parse(one))).toEqual(JSON.parse(text).results);
        expect(parseExact(text)).toBeDefined();
      },
    ),
  );
});
