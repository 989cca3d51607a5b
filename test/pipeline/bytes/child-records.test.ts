import fc from "fast-check";
import { expect, test } from "vitest";
import type { CsvRow } from "../../../src/model/record.ts";
import type { RowOrder } from "../../../src/model/source-spec.ts";
import {
  areReadable,
  type ChildRecords,
  childRecords,
  withChildren,
} from "../../../src/pipeline/bytes/child-records.ts";
import { type FastPathCells, withEncodingState } from "../../../src/pipeline/bytes/fast-path-cells.ts";
import type { ChunkCsvFile } from "../../../src/read/chunks/record-chunk.ts";
import { csvHeader } from "../../../src/read/csv/csv-header.ts";
import { newRecordCells } from "../../../src/read/csv/record-cells.ts";
import { byteKinds, findRecordBoundaries } from "../../../src/read/csv/record-boundaries.ts";
import type { ChildSlice, JoinedChunk, JoinedSource } from "../../../src/read/join/bytes/joined-chunk.ts";
import { joinedPiece, type JoinedPiece } from "../../../src/read/join/bytes/joined-piece.ts";

const COLUMNS = ["SEQ", "NAME", "TOWN"];
const ROOT = csvFile("root.csv", ",", ["REF"]);
const FILES = [csvFile("comma.csv", ",", COLUMNS), csvFile("semicolon.csv", ";", COLUMNS.toReversed())];

function csvFile(
  file: string,
  delimiter: string,
  columns: readonly string[],
  keys: readonly string[] = [],
): ChunkCsvFile {
  const header = csvHeader({ file, line: 1 }, columns, new Map());
  return { kind: "csv", keys, layout: { header, delimiter, headerByte: 0 } };
}

type Child = readonly [parent: number, line: string];

/** Returns records of a file, starting at line 11. Their bytes are a view into a longer array. */
function sliceOf(file: number, children: readonly Child[]): ChildSlice {
  const text = children.map(([, line]) => `${line}\n`).join("");
  const bytes = new Uint8Array(Buffer.from(`before${text}`)).subarray(6);
  const kinds = byteKinds(FILES[file]?.layout.delimiter ?? ",");
  const boundaries = findRecordBoundaries(bytes, kinds, true);
  return { bytes, boundaries, line: 11, file, parents: Int32Array.from(children, ([parent]) => parent) };
}

interface Joined {
  readonly piece: JoinedPiece;
  readonly records: ChildRecords;
}

/** Joins the child records to a piece with `PARENTS` root records. */
function joined(slices: readonly ChildSlice[], orderBy?: RowOrder, files = FILES): Joined {
  const source: JoinedSource = { name: "children", files, orderBy };
  const bytes = new Uint8Array(Buffer.from("A\n".repeat(PARENTS)));
  const boundaries = findRecordBoundaries(bytes, byteKinds(","), true);
  const chunk: JoinedChunk = {
    file: 0,
    root: { bytes, boundaries, line: 1, from: 0, next: { byte: 0, line: 1 } },
    children: [slices],
  };
  const piece = joinedPiece(chunk, { files: [ROOT], children: [source] });
  const records = childRecords(source);
  const [groups] = piece.groups;
  if (groups !== undefined) records.load(groups);
  return { piece, records };
}

const PARENTS = 3;

/** Returns the child rows of a root record; undefined if they need the row path. */
function rowsByBytes(records: ChildRecords, number: number): readonly CsvRow[] | undefined {
  const count = records.begin(number);
  if (count < 0) return undefined;
  const rows: CsvRow[] = [];
  for (let index = 0; index < count; index += 1) {
    const cells = records.cells[records.selectChild(index)];
    if (cells === undefined) return undefined;
    rows.push(cells.row());
  }
  return rows;
}

/** Returns the child rows of a root record as the row path reads them; undefined if they have a problem. */
function rowsByRowPath(piece: JoinedPiece, number: number): unknown {
  const [read] = piece.rowsAt([number]);
  return read?.problems.length === 0 ? read.row.children?.get("children") : undefined;
}

const NUMBERS: RowOrder = {
  column: "SEQ",
  cells: { wanted: "a number", rank: (text) => (/^\d+$/.test(text) ? Number(text) : undefined) },
};

const line = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.tuple(
      fc.nat(12).map(String),
      fc.constantFrom("Ann", '"Ann"', "Zo\u00eb"),
      fc.constantFrom("Bath", " York"),
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(["1", "Ann"], ["1", "Ann", "Bath", ""], ["", "Ann", "Bath"]) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(["x", "An\u0007n", "Bath"], ["10", 'A"nn', "Bath"], [" 7 ", '"a,b;c"', "Bath"]),
  },
);
const slices = fc
  .array(fc.tuple(fc.nat(1), fc.array(fc.tuple(fc.nat(PARENTS - 1), line), { maxLength: 9 })), { maxLength: 3 })
  .map((all) =>
    all.map(([file, children]) =>
      sliceOf(
        file,
        children
          .toSorted(([one], [other]) => one - other)
          .map(([parent, cells]): Child => [parent, file === 0 ? cells.join(",") : cells.toReversed().join(";")]),
      ),
    ),
  );

test("child records are read like rows, and need the row path if and only if a row has a problem", () => {
  const orders = fc.constantFrom(undefined, { column: "SEQ" }, { column: "NAME" }, { column: "NONE" }, NUMBERS);
  fc.assert(
    fc.property(slices, orders, (given, orderBy) => {
      const { piece, records } = joined(given, orderBy);
      for (let number = 0; number < PARENTS; number += 1) {
        const expected = rowsByRowPath(piece, number);
        expect(rowsByBytes(records, number)).toEqual(expected);
        expect(areReadable([records], number)).toBe(expected !== undefined);
      }
    }),
    { numRuns: 300 },
  );
});

test.each([
  ["that are equal need the row path", ["1,Ann,Bath", "1,Ann,Bath"], false],
  ["that are equal but not adjacent need the row path", ["1,Ann,Bath", "2,Bob,York", "1,Ann,Bath"], false],
  ["of the same length that differ in the last byte are read", ["1,Ann,Bath", "1,Ann,Batg"], true],
  ["are read if one is a prefix of the other", ["1,Ann,Bath", "1,Ann,Bat"], true],
  ["that are equal except for quotes need the row path", ['1,"Ann",Bath', "1,Ann,Bath"], false],
  ["that differ and have quotes are read", ['1,"Ann",Bath', "2,Ann,Bath"], true],
  ["need the row path if one has a doubled quote", ['1,"A""n",Bath', "2,Ann,Bath"], false],
  ["are read if there are 8", eachNumber(8), true],
  ["are read if there are 20", eachNumber(20), true],
  ["need the row path if there are 20 and two of them are equal", [...eachNumber(19), "3,Ann,Bath"], false],
  ["need the row path if one has too few cells", ["1,Ann,Bath", "2,Ann"], false],
])("child records %s", (_, lines, areRead) => {
  const { records } = joined([
    sliceOf(0, [[0, "0,Own,Bath"], ...lines.map((text): Child => [1, text]), [2, "1,Ann,Bath"]]),
  ]);
  const read = rowsByBytes(records, 1)?.map(({ cells }) => cells.join(","));
  expect(read).toEqual(areRead ? lines.map((text) => text.replaceAll('"', "")) : undefined);
});

function eachNumber(count: number): readonly string[] {
  return Array.from({ length: count }, (_, number) => `${number},Ann,Bath`);
}

test("equal child records need the row path even if the last record has no line ending", () => {
  const slice = sliceOf(0, [
    [1, "1,Ann,Bath"],
    [1, "1,Ann,Bath"],
  ]);
  const { records } = joined([{ ...slice, bytes: slice.bytes.subarray(0, -1) }]);
  expect(records.begin(1)).toBe(-1);
});

test("the child records of a root record are readable only if the child records of every source are readable", () => {
  const [good, bad] = ["1,a,x", "1,a"].map((text) => joined([sliceOf(0, [[0, text]])]).records);
  if (good === undefined || bad === undefined) throw new Error("there are two sources");
  expect(areReadable([good, bad], 0)).toBe(false);
  expect(areReadable([good, bad], 1)).toBe(true);
});

test("child records with the same cells in different files need the row path", () => {
  const { records } = joined([
    sliceOf(0, [[0, "a,b,a"]]),
    sliceOf(1, [
      [0, "a;b;a"],
      [1, "x;y;z"],
    ]),
  ]);
  expect([0, 1, 2].map((number) => records.begin(number))).toEqual([-1, 1, 0]);
});

test("child records are sorted by the trimmed text of a column, and each root record has its own order", () => {
  const children: readonly Child[] = [
    [0, " 10 ,a,x"],
    [0, "9,b,x"],
    [0, "\u00a02,c,x"],
    [1, "1,d,x"],
    [2, "z,e,x"],
    [2, "10,f,x"],
    [2, "9,g,x"],
  ];
  const { records } = joined([sliceOf(0, children)], { column: "SEQ" });
  const names = [0, 1, 2].map((number) =>
    rowsByBytes(records, number)
      ?.map(({ cells }) => cells[1])
      .join(""),
  );
  expect(names).toEqual(["cba", "d", "fge"]);
});

test("child records need the row path if one of several cannot be sorted, but a single child record does not", () => {
  const children: readonly Child[] = [
    [0, "x,a,x"],
    [1, "x,a,x"],
    [1, "1,b,x"],
    [2, "2,a,x"],
    [2, "1,b,x"],
  ];
  const { records } = joined([sliceOf(0, children)], NUMBERS);
  expect([0, 1, 2].map((number) => records.begin(number))).toEqual([1, -1, 2]);
});

test("a child record without a required key needs the row path", () => {
  const files = [csvFile("comma.csv", ",", COLUMNS, ["NAME"])];
  const { records } = joined(
    [
      sliceOf(0, [
        [0, "1,,x"],
        [1, "1,A,x"],
        [2, "2,B,x"],
        [2, "3, ,x"],
      ]),
    ],
    undefined,
    files,
  );
  expect([0, 1, 2].map((number) => areReadable([records], number))).toEqual([false, true, false]);
});

test("the child records of a new piece replace the child records of the previous piece", () => {
  const { records } = joined(
    [
      sliceOf(0, [
        [0, "1,a,x"],
        [0, "2,b,x"],
      ]),
    ],
    { column: "NAME" },
  );
  const { piece } = joined([sliceOf(0, [[1, "1,c,x"]])]);
  expect(records.begin(0)).toBe(2);
  const [groups] = piece.groups;
  if (groups !== undefined) records.load(groups);
  expect([0, 1, 2].map((number) => rowsByBytes(records, number)?.map(({ cells, line: at }) => [...cells, at]))).toEqual(
    [[], [["1", "c", "x", 11]], []],
  );
});

function rootCells(number: number): FastPathCells {
  const cells = withEncodingState(newRecordCells(ROOT.layout.header.table, ","));
  return Object.assign(cells, { bytes: Buffer.from("A"), end: 1, number });
}

test("a root record without child sources keeps its row", () => {
  const cells = rootCells(0);
  const { row } = cells;
  expect(withChildren(cells, []).row).toBe(row);
});

test("the row of a root record reads its child rows on demand", () => {
  const { records } = joined(
    [
      sliceOf(0, [
        [0, "1,a,x"],
        [0, "1,a,x"],
        [2, "2,b,x"],
        [2, "1,c,x"],
      ]),
    ],
    { column: "SEQ" },
  );
  const cells = withChildren(rootCells(2), [records]);
  const row = cells.row();
  cells.number = 0;
  expect(row.cells).toEqual(["A"]);
  expect(row.children?.get("children")?.map((child) => child.line)).toEqual([14, 13]);
  expect(row.children).toBe(row.children);
  cells.number = 1;
  expect(cells.row().children).toEqual(new Map([["children", []]]));
  cells.number = 0;
  const repeated = cells.row();
  expect(() => repeated.children).toThrow("joined records cannot be read on the fast path");
});

test("reading the child rows of a row throws an error if a child record cannot be read", () => {
  const { records } = joined([sliceOf(0, [[0, "1,a"]])]);
  const row = withChildren(rootCells(0), [records]).row();
  expect(() => row.children).toThrow("joined records cannot be read on the fast path");
});
