import fc from "fast-check";
import { expect, test } from "vitest";
import { createFastContentHash } from "../../src/ledger/record-hashes.ts";
import { canonicalJson, isJsonArray, isJsonObject } from "../../src/json/json-value.ts";
import type { JsonValue } from "../../src/json/json-value.ts";

const contentMark = createFastContentHash();

const jsonValue = fc.jsonValue().map((value): JsonValue => JSON.parse(JSON.stringify(value)));

test("the same data has the same mark, in whatever order its members stand", () => {
  fc.assert(
    fc.property(jsonValue, (data) => {
      expect(contentMark(reversed(data))).toBe(contentMark(data));
    }),
  );
});

test("other data has another mark", () => {
  fc.assert(
    fc.property(jsonValue, jsonValue, (one, other) => {
      expect(contentMark(one) === contentMark(other)).toBe(canonicalJson(one) === canonicalJson(other));
    }),
  );
});

test("what is alike to the eye has another mark", () => {
  const alike = [{}, [], "", null, [[]], [{}], 1, "1", [1], ["1"], { a: 1 }, { a: "1" }, { a: [1] }, { a: { b: 1 } }];
  const members = [{ a: "b", b: "a" }, { a: "a", b: "b" }, { a: "", b: "ab" }, { ab: "" }, [["a"], "b"], ["a", ["b"]]];
  const marks = [...alike, ...members, true, "true", "null", ["a", "b"], ["b", "a"], ["ab"]].map(contentMark);
  expect(new Set(marks).size).toBe(marks.length);
});

test("many payloads that differ little have as many marks, of 52 bits", () => {
  const marks = Array.from({ length: 100_000 }, (_, number) => contentMark({ key: "A", balance: `${number}` }));
  expect(new Set(marks).size).toBe(marks.length);
  expect(marks.every((mark) => Number.isInteger(mark) && mark >= 0 && mark < 2 ** 52)).toBe(true);
  expect(marks.filter((mark) => mark >= 2 ** 51).length / marks.length).toBeCloseTo(0.5, 1);
});

function reversed(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(reversed);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, reversed(member)] as const);
  return Object.fromEntries(members.toReversed());
}
