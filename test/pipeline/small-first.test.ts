import fc from "fast-check";
import { expect, test } from "vitest";
import { smallFirst } from "../../src/pipeline/send/small-first.ts";
import { all } from "../job/sample-job.ts";

async function* batchesOf(sizes: readonly number[]): AsyncGenerator<readonly number[]> {
  let number = 0;
  for (const size of sizes) yield Array.from({ length: size }, () => (number += 1));
}

async function sizesOf(batches: AsyncIterable<readonly number[]>): Promise<readonly number[]> {
  const sizes: number[] = [];
  for await (const batch of batches) sizes.push(batch.length);
  return sizes;
}

test("the first batch comes in pieces, each twice as large as the one before, until a batch is as large as a piece", async () => {
  expect(await sizesOf(smallFirst(batchesOf([500, 500, 500])))).toEqual([32, 64, 128, 256, 20, 500, 500]);
});

test("every record comes once, in order, however large the batches are", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 700 }), { maxLength: 8 }), async (sizes) => {
      const records = await all(smallFirst(batchesOf(sizes)));
      expect(records).toEqual(Array.from({ length: records.length }, (_, index) => index + 1));
      expect(records.length).toBe(sizes.reduce((sum, size) => sum + size, 0));
    }),
  );
});
