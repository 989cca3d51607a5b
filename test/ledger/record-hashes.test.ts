import fc from "fast-check";
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { contentHash, recordIdentity } from "../../src/ledger/records/record-hashes.ts";
import {
  canonicalJson,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../../src/json/json-value.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const jsonValue = fc.jsonValue().map((value): JsonValue => JSON.parse(JSON.stringify(value)));
const payload = fc
  .dictionary(fc.string({ unit: "binary" }), jsonValue, { maxKeys: 40, noNullPrototype: true })
  .filter((data) => !NAME_WITH_BACKSLASH.test(JSON.stringify(data)));

/**
 * `JSON.parse` of Node.js 24 confuses names after an object with a backslash in a name: after `{"\\":1}`, the second
 * member of `{"":0,"\"":1}` becomes `\`. A separate test, which does not parse JSON, covers these names.
 */
const NAME_WITH_BACKSLASH = /\\\\(?:[^"\\]|\\.)*":/;

function reversed(value: JsonValue): JsonValue {
  if (isJsonArray(value)) return value.map(reversed);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, reversed(member)]),
  );
}

test("the same data has the same hash in any order of its members", () => {
  fc.assert(
    fc.property(payload, (data) => {
      const other = reversed(data);
      expect(isJsonObject(other) && hex(contentHash(other))).toBe(hex(contentHash(data)));
    }),
  );
});

test("the canonical text is JSON of the same data with sorted members", () => {
  fc.assert(
    fc.property(payload, (data) => {
      const text = canonicalJson(data);
      const parsed: JsonObject = JSON.parse(text);
      expect(parsed).toEqual(data);
      const sorted = Object.keys(data)
        .toSorted()
        .map((name) => `${JSON.stringify(name)}:${canonicalJson(data[name] ?? null)}`);
      expect(text).toBe(`{${sorted.join(",")}}`);
    }),
  );
});

test("names with backslashes and quotes are escaped", () => {
  expect(canonicalJson({ "\\": 1, '"': 2, "": 3 })).toBe(String.raw`{"":3,"\"":2,"\\":1}`);
});

test("different data has a different hash", () => {
  const hashes = [{}, { a: 1 }, { a: "1" }, { a: null }, { a: [] }, { a: [1] }, { a: { b: 1 } }, { b: 1 }].map((data) =>
    hex(contentHash(data)),
  );
  expect(new Set(hashes).size).toBe(hashes.length);
});

test("a hash is the SHA-256 of the canonical JSON", () => {
  expect(hex(contentHash({ b: "é", a: 1 }))).toBe(createHash("sha256").update('{"a":1,"b":"é"}').digest("hex"));
});

test("the identity depends on every part and on the boundaries between the parts", () => {
  const parts = { endpoint: "POST h/o", supplier: "s", key: "k" };
  const variants = [
    parts,
    { ...parts, endpoint: "POST H/o" },
    { ...parts, supplier: "S" },
    { ...parts, endpoint: "POST h/O" },
    { ...parts, key: "K" },
    { ...parts, endpoint: "POST h/os", supplier: "" },
    { ...parts, endpoint: "", supplier: "POST h/os" },
    { ...parts, supplier: 's","k', key: "" },
  ];
  expect(new Set(variants.map((variant) => hex(recordIdentity(variant)))).size).toBe(variants.length);
});

const identityOf = (key: string): string => hex(recordIdentity({ endpoint: "POST h/o", supplier: "s", key }));

test("two Unicode forms of a key have the same identity", () => {
  const [one, other] = ["caf\u00e9", "cafe\u0301"].map(identityOf);
  expect(one).toBe(other);
});

test("keys that differ only in surrounding whitespace have the same identity", () => {
  const space = fc.string({ unit: fc.constantFrom(" ", "\t", "\n", "\u0085", "\u00a0", "\u3000"), maxLength: 3 });
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), space, space, (key, before, after) => {
      expect(identityOf(`${before}${key}${after}`)).toBe(identityOf(key));
    }),
  );
  expect(identityOf("K 2")).not.toBe(identityOf("K2"));
});
