import fc from "fast-check";
import { expect, test } from "vitest";
import { parseRecords } from "../../../src/read/csv/csv-layout.ts";
import { quotedCells } from "../../../src/read/csv/csv-rows.ts";

test("removes the quotes around cells and unescapes doubled quotes", () => {
  expect(quotedCells('a,"b, ""c""",,"",7', ",")).toEqual(["a", 'b, "c"', "", "", "7"]);
  expect(quotedCells('"two\r\nlines";', ";")).toEqual(["two\r\nlines", ""]);
});

test("returns undefined for a record with a misplaced quote", () => {
  for (const record of ['a"b,"c"', '"a"b', '"a" ,b', ' "a"', '"a', 'a,"']) {
    expect(quotedCells(record, ",")).toBeUndefined();
  }
});

test("finds the same cells as csv-parse", () => {
  const piece = fc.constantFrom("a", "é", " ", '"', '"', '""', ",", ";", '","', "\t");
  const record = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(""));
  const property = fc.property(record, (text) => {
    const cells = quotedCells(text, ",");
    fc.pre(cells !== undefined);
    expect(parseRecords(Buffer.from(`${text}\n`), ",")).toEqual([cells]);
  });
  expect(() => fc.assert(property, { numRuns: 500 })).not.toThrow();
});
