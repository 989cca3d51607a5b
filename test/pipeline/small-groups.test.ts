import fc from "fast-check";
import { expect, test } from "vitest";
import { groupsOfRows } from "../../src/pipeline/send/payload-group.ts";
import { smallGroups } from "../../src/pipeline/send/payload-group.ts";
import type { InputRecord } from "../../src/model/record.ts";

const table = { kind: "json", file: "rows.ndjson" } as const;

async function* batchesOf(sizes: readonly number[]): AsyncGenerator<readonly InputRecord[]> {
  let number = 0;
  for (const size of sizes) {
    yield Array.from({ length: size }, () => {
      number += 1;
      const row = { table, pointer: "", value: {}, line: number };
      return { number, source: "rows", orphan: false, row, problems: [] };
    });
  }
}

/** Returns the line numbers of the rows in each group. */
async function linesOf(sizes: readonly number[]): Promise<readonly (readonly (number | undefined)[])[]> {
  const lines: (readonly (number | undefined)[])[] = [];
  for await (const { first, last, row } of smallGroups(groupsOfRows(batchesOf(sizes)))) {
    lines.push(Array.from({ length: last - first + 1 }, (_, index) => row(first + index)?.line));
  }
  return lines;
}

test("splits a large group, and leaves a small group unchanged", async () => {
  const sizes = (await linesOf([150, 64, 3])).map(({ length }) => length);
  expect(sizes).toEqual([64, 64, 22, 64, 3]);
});

test("returns every record once, in order, for groups of any size", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 700 }), { maxLength: 8 }), async (sizes) => {
      const lines = (await linesOf(sizes)).flat();
      expect(lines).toEqual(Array.from({ length: lines.length }, (_, index) => index + 1));
      expect(lines.length).toBe(sizes.reduce((sum, size) => sum + size, 0));
    }),
  );
});
