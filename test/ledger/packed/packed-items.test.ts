import fc from "fast-check";
import { expect, test } from "vitest";
import type { PlannedItem } from "../../../src/ledger/records/planned-item.ts";
import { columnsIn } from "../../../src/ledger/packed/item-columns.ts";
import { countPacked, joinPacked, packItems, unpackItems } from "../../../src/ledger/packed/packed-items.ts";
import { canonicalKey } from "../../../src/text/canonical-key.ts";
import { normalKey } from "../../../src/text/near-key.ts";

const problem = { attr: "name", severity: "error", by: "local", code: "required", shape: "ä😀" } as const;
const text = fc.string({ unit: "binary", maxLength: 5 }).map(canonicalKey);
const bytes = fc.uint8Array({ maxLength: 32 });

const item: fc.Arbitrary<PlannedItem> = fc.record(
  {
    record: fc.nat(),
    key: fc.option(text, { nil: undefined }),
    identity: fc.option(bytes, { nil: undefined, freq: 1 }),
    content: fc.oneof(fc.constant(undefined), fc.maxSafeNat(), bytes),
    file: fc.constantFrom("a.csv", "b.csv", "ü.csv"),
    line: fc.maxSafeNat(),
    status: fc.constantFrom("valid", "valid", "invalid"),
    problems: fc.constantFrom([], [], [problem], [problem, problem]),
    awaits: bytes,
  },
  { requiredKeys: ["record", "key", "identity", "content", "file", "line", "status", "problems"] },
);

test("items arrive unchanged in another thread", () => {
  fc.assert(
    fc.property(fc.array(item), (items) => {
      const packed = packItems(items);
      expect(unpackItems(structuredClone(packed, { transfer: [packed.columns] }))).toEqual(items);
    }),
  );
});

test("joins packed lists of items", () => {
  fc.assert(
    fc.property(fc.array(fc.array(item), { minLength: 1, maxLength: 4 }), (lists) => {
      const joined = joinPacked(lists.map((items) => packItems(items)));
      const all = packItems(lists.flat());
      expect(unpackItems(joined)).toEqual(lists.flat());
      expect(countPacked(joined)).toBe(lists.flat().length);
      expect(columnsIn(joined.columns).marks).toEqual(columnsIn(all.columns).marks);
      expect(joined.problems).toEqual(all.problems);
    }),
  );
});

test("unpacks keys as the ledger stores them: in canonical form, with replacements for unpaired surrogates", () => {
  const keys = ["cafe\u0301", "\u3000A 1 ", "a\ud800b"].map((key) => unpackItems(packItems([itemOf(key)]))[0]?.key);
  expect(keys).toEqual(["caf\u00e9", "A 1", "a\ufffdb"]);
});

test("a problem is transferred without its invalid value", () => {
  const invalid: PlannedItem = { ...itemOf("A"), status: "invalid", problems: [{ ...problem, value: "secret" }] };
  const packed = packItems([invalid]);
  expect(Buffer.from(packed.columns).includes("secret")).toBe(false);
  expect(unpackItems(packed)[0]?.problems).toEqual([problem]);
});

test("two keys have the same mark if and only if they are equal or similar", () => {
  const key = fc.oneof(
    text,
    fc.constantFrom("007", "7", "a-1", "A-1", "A -1", "A1", "1-1", "11", "１２３", "123", "123.0"),
  );
  fc.assert(
    fc.property(key, key, (one, other) => {
      const near = normalKey(one) === normalKey(other);
      expect(markOf(one) === markOf(other)).toBe(near);
    }),
    { numRuns: 1000 },
  );
});

test("200,000 different keys with the same prefix have distinct marks", () => {
  const items = Array.from({ length: 200_000 }, (_, number) => itemOf(`EXT-${number}`));
  expect(new Set(columnsIn(packItems(items).columns).marks).size).toBe(items.length);
});

function itemOf(key: string): PlannedItem {
  return { record: 1, key, identity: undefined, content: 1, file: "a.csv", line: 2, status: "valid", problems: [] };
}

function markOf(key: string): number | undefined {
  return columnsIn(packItems([itemOf(key)]).columns).marks[0];
}
