import { expect, onTestFinished, test } from "vitest";
import { createMarkList } from "../../../src/ledger/packed/repeated-marks.ts";
import { createPieceStore } from "../../../src/ledger/packed/spool/piece-store.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const BATCH = 50_000;

/** @param memoryBytes size above which the marks are written to a file */
async function repeated(marks: readonly number[], memoryBytes = 1e9): Promise<readonly number[]> {
  const pieces = createPieceStore(temporaryFolder({}), memoryBytes);
  onTestFinished(pieces.close);
  const list = createMarkList(pieces);
  for (let at = 0; at < marks.length; at += BATCH) list.add(Float64Array.from(marks.slice(at, at + BATCH)));
  const isRepeated = await list.findRepeated();
  if (isRepeated === undefined) return [];
  return [...new Set(marks.filter(isRepeated))];
}

/** Returns distinct marks of 52 bits, in no particular order. */
const marksOf = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => ((index + 1) * 2_654_435_761_123) % 2 ** 52);

test("finds no repeats among distinct marks, even if many share a bit", async () => {
  expect(await repeated(marksOf(200_000))).toEqual([]);
  expect(await repeated([])).toEqual([]);
  expect(await repeated([Number.NaN, Number.NaN])).toEqual([]);
});

test.each([
  ["in memory", 1000, 1e9],
  ["in memory, with some full blocks", 400_000, 1e9],
  ["in a file", 400_000, 0],
])("finds exactly the repeated marks, %s", async (_where, count, memoryBytes) => {
  const marks = marksOf(count);
  const twice = marks.filter((_, index) => index % 1000 === 0);
  expect(await repeated([...marks, Number.NaN, ...twice], memoryBytes)).toEqual(twice);
});

test("finds every repeated mark, and excludes some distinct marks, even if more marks repeat than fit in memory", async () => {
  const marks = marksOf(600_000);
  const [often, once] = [marks.slice(0, 550_000), marks.slice(550_000)];
  const found = new Set(await repeated([...often, ...often, ...often, ...once]));
  expect(often.filter((mark) => !found.has(mark))).toEqual([]);
  expect(found.size).toBeGreaterThan(often.length);
  expect(found.size).toBeLessThan(marks.length);
});

test("finds a single mark that almost all records have", async () => {
  const [once, ...others] = marksOf(1000);
  const marks = [...Array.from({ length: 1_200_000 }, () => 42), ...others, once ?? 0];
  expect(await repeated(marks)).toContain(42);
});
