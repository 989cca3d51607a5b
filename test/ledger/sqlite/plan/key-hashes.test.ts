import fc from "fast-check";
import { expect, test } from "vitest";
import { createKeyHashes } from "../../../../src/ledger/sqlite/plan/planner.ts";

test("a key that came twice is known to have, whatever came between, and others are not thought to", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary", maxLength: 4 }), { maxLength: 200 }), (keys) => {
      expect(mayRepeat(keys)).toBe(new Set(keys).size < keys.length);
    }),
  );
});

test("two hundred thousand keys that differ little have as many marks", () => {
  const keys = Array.from({ length: 200_000 }, (_, number) => `EXT-${number}`);
  expect(mayRepeat(keys)).toBe(false);
  expect(mayRepeat([...keys, "EXT-65536"])).toBe(true);
});

test("more keys than are remembered may repeat", () => {
  expect(mayRepeat(["A", "B"], 2)).toBe(false);
  expect(mayRepeat(["A", "B", "C"], 2)).toBe(true);
});

function mayRepeat(keys: readonly string[], mostKeys?: number): boolean {
  const marks = createKeyHashes(mostKeys);
  for (const key of keys) marks.add(key);
  return marks.mayRepeat();
}
