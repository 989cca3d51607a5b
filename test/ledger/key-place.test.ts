import { expect, test } from "vitest";
import { cellPlace } from "../../src/ledger/records/key-place.ts";
import type { FileCells } from "../../src/ledger/records/planned-item.ts";
import type { Place } from "../../src/model/place.ts";

function placeIn(cells: FileCells | undefined, name?: "asOf"): Place {
  const policy = { keyAttr: "ref", fileCells: new Map(cells === undefined ? [] : [["a", cells] as const]) };
  return cellPlace(policy, { file: "a", line: 4, record: 9 }, name);
}

const REF = { column: "REF", columnNumber: 2 };
const DATE = { column: "DATE", columnNumber: 3 };

test("a problem of the key points to its column, and a problem of the date points to the column of the date", () => {
  const cells = { key: [REF], asOf: [DATE] };
  expect(placeIn(cells)).toEqual({ file: "a", line: 4, ...REF });
  expect(placeIn(cells, "asOf")).toEqual({ file: "a", line: 4, ...DATE });
});

test("a problem points to the row if no cell is known for its value", () => {
  expect(placeIn({ key: [REF], asOf: [] }, "asOf")).toEqual({ file: "a", line: 4 });
  expect(placeIn(undefined)).toEqual({ file: "a", line: 4 });
});

test("a problem of a key that may come from several cells points to the row, and lists these cells", () => {
  const cells = [REF, DATE].map((cell) => ({ file: "a", line: 4, ...cell }));
  expect(placeIn({ key: [REF, DATE], asOf: [] })).toEqual({ file: "a", line: 4, cells });
});

test("a pointer begins with the index of the element if the file contains an array", () => {
  const key = [{ pointer: "/REF" }];
  expect(placeIn({ key, asOf: [] })).toEqual({ file: "a", line: 4, pointer: "/REF" });
  expect(placeIn({ key, asOf: [], firstElement: 7 })).toEqual({ file: "a", line: 4, pointer: "/2/REF" });
});
