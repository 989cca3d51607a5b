import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { createSpoolStore } from "../../../src/read/join/bytes/child-spool.ts";
import { byteKinds, findRecordBoundaries, recordFlags } from "../../../src/read/csv/record-boundaries.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const PARENTS = 10_000;

it.each([
  ["in memory", 2 ** 20],
  ["in an unlinked file", 1000],
])("child records that are stored %s are returned in the order of their parents", (_, memoryBytes) => {
  const folder = temporaryFolder();
  const store = createSpoolStore(folder, memoryBytes);
  const spool = store.newSpool();
  const text = Array.from({ length: PARENTS }, (__, index) => `${scattered(index)},first\n${scattered(index)},"b"`);
  const bytes = Buffer.from(text.join("\n"));
  const boundaries = findRecordBoundaries(bytes, byteKinds(","), true);
  const records = { bytes, boundaries, line: 1, file: 3, flags: recordFlags(boundaries) };
  for (let number = 0; number < 2 * PARENTS; number += 1) spool.add(scattered(number >> 1), records, number);
  expect(readdirSync(folder)).toEqual([]);
  const taken: string[] = [];
  for (let from = 0; from < PARENTS; from += 999) {
    const slices = spool.take({ from, to: from + 999, firstNumber: 1 });
    const ofParent = new Map<number, string[]>();
    for (const slice of slices) {
      expect(slice.file).toBe(3);
      const lines = Buffer.from(slice.bytes).toString().trimEnd().split("\n");
      for (const [index, parent] of slice.parents.entries()) {
        const own = `${lines[index]}@${slice.line + (slice.boundaries.lines[index] ?? 0)}`;
        ofParent.set(parent, [...(ofParent.get(parent) ?? []), own]);
      }
    }
    taken.push(...[...ofParent].toSorted(([one], [other]) => one - other).flatMap(([, lines]) => lines));
  }
  store.close();
  const line = new Map(Array.from({ length: PARENTS }, (__, index) => [scattered(index), 2 * index + 1]));
  const expected = Array.from({ length: PARENTS }, (__, parent) => [
    `${parent},first@${line.get(parent) ?? 0}`,
    `${parent},"b"@${(line.get(parent) ?? 0) + 1}`,
  ]);
  expect(taken).toEqual(expected.flat());
});

function scattered(index: number): number {
  return (index * 7919) % PARENTS;
}
