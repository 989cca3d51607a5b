import fc from "fast-check";
import { expect, test } from "vitest";
import { formatTable, parseTable } from "../../../src/web/client/pages/fix/clipboard-table.ts";

test.each([
  ["one cell", "a", [["a"]]],
  ["an empty cell", "", [[""]]],
  ["a column that ends with a line break", "a\r\nb\r\n", [["a"], ["b"]]],
  [
    "two columns",
    "a\tb\nc\t",
    [
      ["a", "b"],
      ["c", ""],
    ],
  ],
  ["a cell with a line break", '"a\nb"\tc', [["a\nb", "c"]]],
  ["a quotation mark in a quoted cell", '"a ""b""\n"', [['a "b"\n']]],
  ["quotation marks inside a value", '"a" b\tc"d', [['"a" b', 'c"d']]],
  ["an unclosed quotation mark", '"a\tb', [['"a', "b"]]],
  [
    "text like a formula, unchanged",
    "=1+1\t+44 7700 900123\n-1\t@x",
    [
      ["=1+1", "+44 7700 900123"],
      ["-1", "@x"],
    ],
  ],
  ["a protected formula, without its protection", "'=1+1\t'hello", [["=1+1", "'hello"]]],
])("reads %s", (_name, text, table) => {
  expect(parseTable(text)).toEqual(table);
});

test("adds an apostrophe to copied text that a spreadsheet would evaluate as a formula", () => {
  expect(
    formatTable([
      ["=1+1", "+44 7700", "a"],
      ["-1", "@SUM(A1)", "\t=1"],
    ]),
  ).toBe("'=1+1\t'+44 7700\ta\n'-1\t'@SUM(A1)\t\"'\t=1\"\n");
});

test("pastes copied cells unchanged", () => {
  const cell = fc.oneof(fc.string(), fc.stringMatching(/^['"=+\-@\t\r\n a]*$/));
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1 }),
      (width, rows) => {
        const table = rows.map((cells) => cells.slice(0, width));
        expect(parseTable(formatTable(table))).toEqual(table);
      },
    ),
  );
});
