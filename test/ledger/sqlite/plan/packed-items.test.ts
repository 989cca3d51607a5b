import { deserialize, serialize } from "node:v8";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { PlannedItem } from "../../../../src/ledger/ledger.ts";
import { packItems, unpackItems } from "../../../../src/ledger/sqlite/plan/packed-items.ts";

const problem = { attr: "name", severity: "error", by: "local", code: "required" } as const;
const text = fc.string({ unit: "binary", maxLength: 5 });
const bytes = fc.uint8Array({ minLength: 2, maxLength: 2 });

const item: fc.Arbitrary<PlannedItem> = fc.record({
  record: fc.nat(),
  key: fc.option(text, { nil: undefined }),
  identity: fc.option(bytes, { nil: undefined, freq: 1 }),
  content: fc.oneof(fc.constant(undefined), fc.maxSafeNat(), bytes),
  file: fc.constantFrom("a.csv", "b.csv", "ü.csv"),
  line: fc.maxSafeNat(),
  status: fc.constantFrom("valid", "valid", "invalid"),
  problems: fc.constantFrom([], [], [problem]),
});

test("items arrive in another thread as they were", () => {
  fc.assert(
    fc.property(fc.array(item), (items) => {
      expect(unpackItems(deserialize(serialize(packItems(items))))).toEqual(items);
    }),
  );
});
