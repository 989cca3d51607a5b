import { expect, test } from "vitest";
import fc from "fast-check";
import type { RecordRange } from "../../../src/ledger/runs/shared-run.ts";
import type { InputPosition } from "../../../src/model/record.ts";
import { createRangeReader } from "../../../src/pipeline/shared/range-reader.ts";

/**
 * Creates a reader for an input that can be read from the start or from any record in `places`. Notes the record at
 * which each read begins.
 */
function input(records: number, batch: number, places: readonly number[] = []) {
  const begun: number[] = [];
  async function* open(from?: InputPosition): AsyncGenerator<RecordRange> {
    begun.push(from?.record ?? 1);
    for (let first = from?.record ?? 1; first <= records; first += batch) {
      yield { first, last: Math.min(first + batch - 1, records) };
    }
  }
  const placeBefore = async (record: number): Promise<InputPosition | undefined> => {
    const place = places.findLast((one) => one <= record);
    return place === undefined ? undefined : { record: place, file: "rows.csv", byte: 10 * place, line: place + 1 };
  };
  return { begun, reader: createRangeReader<RecordRange>({ open, placeBefore }) };
}

async function numbers(groups: AsyncIterable<RecordRange>): Promise<readonly number[]> {
  const all: number[] = [];
  for await (const { first, last } of groups) for (let number = first; number <= last; number += 1) all.push(number);
  return all;
}

test("reads ranges in order in one pass, and restarts only for an earlier range", async () => {
  const { reader, begun } = input(100, 7);
  expect(await numbers(reader.groups({ first: 3, last: 5 }))).toEqual([3, 4, 5]);
  expect(await numbers(reader.groups({ first: 6, last: 9 }))).toEqual([6, 7, 8, 9]);
  expect(await numbers(reader.groups({ first: 90, last: 91 }))).toEqual([90, 91]);
  expect(begun).toEqual([1]);
  expect(await numbers(reader.groups({ first: 1, last: 2 }))).toEqual([1, 2]);
  expect(begun).toEqual([1, 1]);
});

test("reads a distant range, ahead or behind, from the last position recorded before it", async () => {
  const { reader, begun } = input(100_000, 500, [20_001, 60_001, 60_501]);
  expect(await numbers(reader.groups({ first: 1, last: 2 }))).toEqual([1, 2]);
  expect(await numbers(reader.groups({ first: 70_000, last: 70_001 }))).toEqual([70_000, 70_001]);
  expect(await numbers(reader.groups({ first: 70_002, last: 70_002 }))).toEqual([70_002]);
  expect(await numbers(reader.groups({ first: 20_001, last: 20_002 }))).toEqual([20_001, 20_002]);
  expect(await numbers(reader.groups({ first: 19_000, last: 19_001 }))).toEqual([19_000, 19_001]);
  expect(begun).toEqual([1, 60_501, 20_001, 1]);
});

test("returns the records of every range, for any order of ranges and any batch size", async () => {
  const ranges = fc.array(fc.tuple(fc.integer({ min: 1, max: 50_000 }), fc.integer({ min: 0, max: 20 })), {
    maxLength: 6,
  });
  const sizes = fc.integer({ min: 400, max: 700 });
  const noted = fc.array(fc.integer({ min: 1, max: 50_000 }), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(ranges, sizes, noted, async (wanted, batch, places) => {
      const { reader } = input(
        50_000,
        batch,
        places.toSorted((a, b) => a - b),
      );
      for (const [first, length] of wanted) {
        const last = Math.min(50_000, first + length);
        const expected = Array.from({ length: last - first + 1 }, (_, index) => first + index);
        expect(await numbers(reader.groups({ first, last }))).toEqual(expected);
      }
    }),
    { numRuns: 50 },
  );
});
