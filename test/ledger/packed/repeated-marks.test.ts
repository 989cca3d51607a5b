import { expect, test } from "vitest";
import { findRepeatedMarks } from "../../../src/ledger/packed/repeated-marks.ts";

const BATCH = 50_000;

/** @param count how many there may be: it decides into how many parts they are divided */
async function repeated(marks: readonly number[], count: number = marks.length): Promise<readonly number[]> {
  const isRepeated = await findRepeatedMarks(async function* () {
    for (let at = 0; at < marks.length; at += BATCH) yield Float64Array.from(marks.slice(at, at + BATCH));
  }, count);
  if (isRepeated === undefined) return [];
  return [...new Set(marks.filter(isRepeated))];
}

/** 52 bits, all different, in no order. */
const marksOf = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => ((index + 1) * 2_654_435_761_123) % 2 ** 52);

test("marks that all differ are found to repeat nowhere, though many share a bit", async () => {
  expect(await repeated(marksOf(200_000))).toEqual([]);
  expect(await repeated([])).toEqual([]);
  expect(await repeated([Number.NaN, Number.NaN])).toEqual([]);
});

test.each([200_000, 30_000_000])("exactly the marks that repeat are found, among %d", async (count) => {
  const marks = marksOf(200_000);
  const twice = marks.filter((_, index) => index % 1000 === 0);
  expect(await repeated([...marks, Number.NaN, ...twice], count)).toEqual(twice);
});

test("where more repeat than are remembered, none of them is denied", async () => {
  const marks = marksOf(600_000);
  expect(await repeated([...marks, ...marks])).toEqual(marks);
});

test("one mark that nearly all have is found to repeat", async () => {
  const [once, ...others] = marksOf(1000);
  const marks = [...Array.from({ length: 1_200_000 }, () => 42), ...others, once ?? 0];
  expect(await repeated(marks)).toContain(42);
});
