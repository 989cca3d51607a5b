import fc from "fast-check";
import { expect, test } from "vitest";
import { parseRecords } from "../../../src/read/csv/csv-layout.ts";
import { quotedCells } from "../../../src/read/csv/quoted-cells.ts";

test("takes quotes from around cells, and halves those that are doubled within", () => {
  expect(quotedCells('a,"b, ""c""",,"",7', ",")).toEqual(["a", 'b, "c"', "", "", "7"]);
  expect(quotedCells('"two\r\nlines";', ";")).toEqual(["two\r\nlines", ""]);
});

test("leaves records to others that have a quote in an odd place", () => {
  for (const record of ['a"b,"c"', '"a"b', '"a" ,b', ' "a"', '"a', 'a,"']) {
    expect(quotedCells(record, ",")).toBeUndefined();
  }
});

test("finds the cells that csv-parse finds, wherever it finds any", () => {
  const piece = fc.constantFrom("a", "é", " ", '"', '"', '""', ",", ";", '","', "\t");
  const record = fc.array(piece, { minLength: 1, maxLength: 12 }).map((pieces) => pieces.join(""));
  const property = fc.property(record, (text) => {
    const cells = quotedCells(text, ",");
    fc.pre(cells !== undefined);
    expect(parseRecords(Buffer.from(`${text}\n`), ",")).toEqual([cells]);
  });
  expect(() => fc.assert(property, { numRuns: 500 })).not.toThrow();
});
