import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { originalCell, shownCell } from "../../src/report/csv-text.ts";

describe("originalCell", () => {
  test.each([
    "+447700",
    "=1+1",
    "-1",
    "@SUM(A1)",
    "'=1",
    "''+2",
    "'plain",
    "a\nb",
    "a\u200bb",
    "\u202e+1",
    "tag \u{e0041}",
  ])("restores the shown cell %j", (cell) => {
    expect(originalCell(shownCell(cell))).toBe(cell);
  });

  test("restores every shown cell that contains no backslash", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const cell = text.replaceAll("\\", "/");
        expect(originalCell(shownCell(cell))).toBe(cell);
      }),
    );
  });
});
