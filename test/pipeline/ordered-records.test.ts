import fc from "fast-check";
import { expect, test } from "vitest";
import { orderedRecords } from "../../src/pipeline/plan/ordered-records.ts";

test("finds every existing record of an ascending list, regardless of the division into batches", async () => {
  const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 40 })).map((all) => all.toSorted((a, b) => a - b));
  await fc.assert(
    fc.asyncProperty(numbers, numbers, fc.integer({ min: 1, max: 5 }), async (all, wanted, size) => {
      const records = orderedRecords(batches(all, size));
      for (const number of wanted) {
        expect(await records.at(number)).toEqual(all.includes(number) ? { number } : undefined);
      }
      await records.close();
      expect(await records.at(100)).toBeUndefined();
    }),
  );
});

async function* batches(all: readonly number[], size: number): AsyncGenerator<readonly { number: number }[]> {
  yield [];
  for (let at = 0; at < all.length; at += size) yield all.slice(at, at + size).map((number) => ({ number }));
}
