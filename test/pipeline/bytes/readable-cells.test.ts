import { expect, test } from "vitest";
import { readableCells } from "../../../src/pipeline/bytes/readable-cells.ts";
import { csvHeader } from "../../../src/read/csv/csv-header.ts";
import { cellMarks, findCells, newRecordCells } from "../../../src/read/csv/record-cells.ts";

function isReadable(columns: readonly string[], keys: readonly string[], line: string): boolean {
  const header = csvHeader({ file: "a.csv", line: 1 }, columns, new Map());
  const layout = { header, delimiter: ",", headerByte: 0 };
  const cells = newRecordCells(header.table, ",");
  const bytes = Buffer.from(`before${line}behind`);
  Object.assign(cells, { bytes, start: 6, end: bytes.length - 6, isQuoted: line.includes('"') });
  findCells(cells, cellMarks(layout));
  return readableCells({ kind: "csv", keys, layout })(cells);
}

test.each([
  ["a filled key", ["A"], "1,x,x", true],
  ["no key", ["A"], ",x,x", false],
  ["a blank key", ["A"], "  \t ,x,x", false],
  ["a key of one exclamation mark between spaces", ["A"], " ! ,x,x", true],
  ["a key that ends with a delete character", ["A"], "\u007f,x,x", true],
  ["a key with a character that may be invisible", ["A"], "1\u0080,x,x", false],
  ["one of two keys", ["A", "B"], "1,,x", false],
  ["both keys", ["B", "A"], "1,2,", true],
  ["a key in quotes", ["B"], ',"2",', true],
  ["an empty key in quotes", ["B"], '1,"",x', false],
  ["no column for the key", ["NONE"], "1,2,3", false],
  ["empty cells that are not keys", [], ",,", true],
])("a record with %s is readable only if all of its keys are known to be visible", (_, keys, line, expected) => {
  expect(isReadable(["A", "B", "C"], keys, line)).toBe(expected);
});

test.each([
  ["1,,", true],
  ['1,"",', true],
  ["1,x,", false],
  ["1,,x", false],
  ["1, ,", false],
])("the record %j is readable only if the cells of its unnamed columns are empty", (line, expected) => {
  expect(isReadable(["A", "", " "], [], line)).toBe(expected);
});

test.each([
  ["1", true],
  ["", false],
  [" ", false],
])("the record %j of a file with one column is readable only if it is not blank", (line, expected) => {
  expect(isReadable(["A"], [], line)).toBe(expected);
});
