import { expect, test } from "vitest";
import { byteKinds, findRecordBoundaries } from "../../../src/read/csv/record-boundaries.ts";

const kinds = byteKinds(",");

test("a CR at the end of a chunk waits for a possible LF, and ends the record at the end of the file", () => {
  const bytes = Buffer.from("a,b\r");
  expect(findRecordBoundaries(bytes, kinds, false)).toMatchObject({ end: 0, starts: [] });
  expect(findRecordBoundaries(bytes, kinds, true)).toMatchObject({ end: 4, starts: [0], ends: [3] });
});

test("counts blank lines and quoted line breaks as lines of the file", () => {
  const found = findRecordBoundaries(Buffer.from('a\n\n\n"b\nb",c\nd\n'), kinds, true);
  expect(found).toMatchObject({ lines: [0, 3, 5], blankLines: 2, nextLine: 6 });
});
