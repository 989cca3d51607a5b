import fc from "fast-check";
import { expect, test } from "vitest";
import { createFastContentHash } from "../../src/json/fast-content-hash.ts";
import { canonicalJson, isJsonArray, isJsonObject, type JsonValue } from "../../src/json/json-value.ts";

const contentHashOf = createFastContentHash();

const jsonValue = fc.jsonValue().map((value): JsonValue => JSON.parse(JSON.stringify(value)));

test("the fast hash of data does not depend on the order of members", () => {
  fc.assert(
    fc.property(jsonValue, (data) => {
      expect(contentHashOf(reversed(data))).toBe(contentHashOf(data));
    }),
  );
});

test("different data has a different fast hash", () => {
  fc.assert(
    fc.property(jsonValue, jsonValue, (one, other) => {
      expect(contentHashOf(one) === contentHashOf(other)).toBe(canonicalJson(one) === canonicalJson(other));
    }),
  );
});

test("values that look similar have different fast hashes", () => {
  const alike = [{}, [], "", null, [[]], [{}], 1, "1", [1], ["1"], { a: 1 }, { a: "1" }, { a: [1] }, { a: { b: 1 } }];
  const members = [{ a: "b", b: "a" }, { a: "a", b: "b" }, { a: "", b: "ab" }, { ab: "" }, [["a"], "b"], ["a", ["b"]]];
  const hashes = [...alike, ...members, true, "true", "null", ["a", "b"], ["b", "a"], ["ab"]].map(contentHashOf);
  expect(new Set(hashes).size).toBe(hashes.length);
});

test("100,000 payloads with small differences have distinct 52-bit fast hashes", () => {
  const hashes = Array.from({ length: 100_000 }, (_, number) => contentHashOf({ key: "A", balance: `${number}` }));
  expect(new Set(hashes).size).toBe(hashes.length);
  expect(hashes.every((hash) => Number.isInteger(hash) && hash >= 0 && hash < 2 ** 52)).toBe(true);
  expect(hashes.filter((hash) => hash >= 2 ** 51).length / hashes.length).toBeCloseTo(0.5, 1);
});

function reversed(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(reversed);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, reversed(member)] as const);
  return Object.fromEntries(members.toReversed());
}
