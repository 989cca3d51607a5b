import fc from "fast-check";
import { expect, test } from "vitest";
import { createKeyHashes } from "../../../../src/ledger/sqlite/plan/planner.ts";

test("a repeated key is noticed whatever came between, and keys that are all different are not taken for repeated", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary", maxLength: 4 }), { maxLength: 200 }), (keys) => {
      expect(mayRepeat(keys)).toBe(new Set(keys).size < keys.length);
    }),
  );
});

test("two hundred thousand keys that differ little have as many hashes", () => {
  const keys = Array.from({ length: 200_000 }, (_, number) => `EXT-${number}`);
  expect(mayRepeat(keys)).toBe(false);
  expect(mayRepeat([...keys, "EXT-65536"])).toBe(true);
});

test("when more keys come than are remembered, one of them may repeat", () => {
  expect(mayRepeat(["A", "B"], 2)).toBe(false);
  expect(mayRepeat(["A", "B", "C"], 2)).toBe(true);
});

function mayRepeat(keys: readonly string[], mostKeys?: number): boolean {
  const hashes = createKeyHashes(mostKeys);
  for (const key of keys) hashes.add(key);
  return hashes.mayRepeat();
}
