import fc from "fast-check";
import { expect, test } from "vitest";
import { createKeyHashes } from "../../../src/ledger/sqlite/plan-items.ts";

test("detects a repeated key regardless of the keys in between, and does not report distinct keys as repeated", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary", maxLength: 4 }), { maxLength: 200 }), (keys) => {
      expect(mayRepeat(keys)).toBe(new Set(keys).size < keys.length);
    }),
  );
});

test("200,000 keys with small differences have distinct hashes", () => {
  const keys = Array.from({ length: 200_000 }, (_, number) => `EXT-${number}`);
  expect(mayRepeat(keys)).toBe(false);
  expect(mayRepeat([...keys, "EXT-65536"])).toBe(true);
});

test("reports every key as possibly repeated if there are more keys than it remembers", () => {
  expect(mayRepeat(["A", "B"], 2)).toBe(false);
  expect(mayRepeat(["A", "B", "C"], 2)).toBe(true);
});

function mayRepeat(keys: readonly string[], mostKeys?: number): boolean {
  const hashes = createKeyHashes(mostKeys);
  for (const key of keys) hashes.add(key);
  return hashes.mayRepeat();
}
