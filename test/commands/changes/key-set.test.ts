import { describe, expect, test } from "vitest";
import { createKeySet } from "../../../src/commands/changes/changes.ts";

describe("a key set", () => {
  test("contains exactly the added keys", () => {
    const keys = createKeySet();
    for (let number = 0; number < 20_000; number += 1) expect(keys.add(`EXT-${number}`)).toBe(true);
    expect(keys.add("EXT-7")).toBe(false);
    for (let number = 0; number < 20_000; number += 1) expect(keys.has(`EXT-${number}`)).toBe(true);
    for (let number = 20_000; number < 40_000; number += 1) expect(keys.has(`EXT-${number}`)).toBe(false);
  });

  test("treats the Unicode forms of a key as one key", () => {
    const keys = createKeySet();
    keys.add("\u00C4-1");
    expect(keys.has("A\u0308-1")).toBe(true);
  });
});
