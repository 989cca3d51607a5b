import { expect, test } from "vitest";
import fc from "fast-check";
import { createRangeReader } from "../../../src/pipeline/shared/range-reader.ts";

interface Numbered {
  readonly number: number;
}

function input(
  records: number,
  batch: number,
): { readonly open: () => AsyncGenerator<readonly Numbered[]>; opened: number } {
  const seen = { opened: 0, open };
  async function* open(): AsyncGenerator<readonly Numbered[]> {
    seen.opened += 1;
    for (let from = 1; from <= records; from += batch) {
      yield Array.from({ length: Math.min(batch, records - from + 1) }, (_, index) => ({ number: from + index }));
    }
  }
  return seen;
}

async function numbers(batches: AsyncIterable<readonly Numbered[]>): Promise<readonly number[]> {
  const all: number[] = [];
  for await (const batch of batches) all.push(...batch.map(({ number }) => number));
  return all;
}

test("ranges in order are read in one go, and one that lies behind from the beginning again", async () => {
  const source = input(100, 7);
  const reader = createRangeReader(source.open);
  expect(await numbers(reader.records({ first: 3, last: 5 }))).toEqual([3, 4, 5]);
  expect(await numbers(reader.records({ first: 6, last: 9 }))).toEqual([6, 7, 8, 9]);
  expect(await numbers(reader.records({ first: 90, last: 91 }))).toEqual([90, 91]);
  expect(source.opened).toBe(1);
  expect(await numbers(reader.records({ first: 1, last: 2 }))).toEqual([1, 2]);
  expect(source.opened).toBe(2);
});

test("every range has its records, in any order of ranges and any size of batches", async () => {
  const ranges = fc.array(fc.tuple(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 20 })), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(ranges, fc.integer({ min: 1, max: 20 }), async (wanted, batch) => {
      const reader = createRangeReader(input(60, batch).open);
      for (const [first, length] of wanted) {
        const last = Math.min(60, first + length);
        const expected = Array.from({ length: last - first + 1 }, (_, index) => first + index);
        expect(await numbers(reader.records({ first, last }))).toEqual(expected);
      }
    }),
  );
});
