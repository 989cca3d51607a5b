import fc from "fast-check";
import { expect, test } from "vitest";
import {
  buffersOf,
  type ChunkSource,
  countRecords,
  scannersOf,
  piecesIn,
  rowsIn,
  rowsOfPart,
  sizeOf,
  visitRecords,
} from "../../../src/pipeline/bytes/chunk-pieces.ts";
import type { CompileFile } from "../../../src/pipeline/bytes/compile-fast-path.ts";
import type { FastPathResult, PiecePart, ScanRecords } from "../../../src/pipeline/bytes/scan-records.ts";
import type { ChunkCsvFile, ChunkFile, RecordChunk } from "../../../src/read/chunks/record-chunk.ts";
import type { CsvBytes } from "../../../src/read/csv/csv-records.ts";
import { csvHeader } from "../../../src/read/csv/csv-header.ts";
import { byteKinds, findRecordBoundaries } from "../../../src/read/csv/record-boundaries.ts";
import type { JoinedChunk } from "../../../src/read/join/bytes/joined-chunk.ts";
import { BATCH_ROWS, type ReadRow } from "../../../src/read/row/read-row.ts";

function csvFile(file: string, columns: readonly string[]): ChunkCsvFile {
  const header = csvHeader({ file, line: 1 }, columns, new Map());
  return { kind: "csv", keys: [], layout: { header, delimiter: ",", headerByte: 0 } };
}

const NDJSON: ChunkFile = {
  kind: "ndjson",
  keys: [],
  table: { kind: "json", file: "b.ndjson" },
  jsonRecordBytes: 1000,
};
const CSV = csvFile("a.csv", ["A", "B"]);
const PARTS = { name: "parts", files: [csvFile("parts.csv", ["C"])], orderBy: undefined } as const;

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text));
}

function csvChunk(text: string, file = 0): RecordChunk {
  const bytes = bytesOf(text);
  const boundaries = findRecordBoundaries(bytes, byteKinds(","), true);
  return { file, bytes, pieces: [{ line: 1, end: bytes.length, boundaries }], isFirst: false };
}

function recordsIn(lines: readonly string[]): Omit<CsvBytes, "line" | "bytes"> & { bytes: Uint8Array<ArrayBuffer> } {
  const bytes = bytesOf(lines.map((line) => `${line}\n`).join(""));
  return { bytes, boundaries: findRecordBoundaries(bytes, byteKinds(","), true) };
}

function joinedChunk(roots: readonly string[], parts: readonly string[]): JoinedChunk {
  const slice = { ...recordsIn(parts), line: 1, file: 0, parents: new Int32Array(parts.length) };
  const root = { ...recordsIn(roots), line: 1, from: 0, next: { byte: 0, line: 1 } };
  return { file: 0, root, children: [[slice]] };
}

/** Returns the cells, or the JSON value, of each row. */
function contents(rows: Iterable<readonly ReadRow[]>): readonly unknown[] {
  return [...rows].flat().map(({ row }) => ("cells" in row ? row.cells : row.value));
}

const INPUT: ChunkSource = { source: "things", files: [CSV, NDJSON] };

test("a chunk has one buffer, and a joined chunk has one for its records and one for each slice of child rows", () => {
  const chunk = csvChunk("1,2\n");
  expect(buffersOf(chunk)).toEqual([chunk.bytes.buffer]);
  expect(sizeOf(chunk)).toBe(4);
  const joined = joinedChunk(["1,2", "3,4"], ["x"]);
  expect(buffersOf(joined)).toEqual([joined.root.bytes.buffer, joined.children[0]?.[0]?.bytes.buffer]);
  expect(sizeOf(joined)).toBe(10);
});

test("the pieces of a chunk are read in the format of its file, and a chunk of an unknown file has no pieces", () => {
  const ndjson = { ...csvChunk('{"A":1}\n{"A":2}\n', 1), pieces: [{ line: 1, end: 16 }] };
  const rowsOf = (chunk: RecordChunk): readonly unknown[] => contents([...piecesIn(chunk, INPUT)].map(rowsOfPart));
  expect(rowsOf(csvChunk("1,2\n3,4\n"))).toEqual([
    ["1", "2"],
    ["3", "4"],
  ]);
  expect(rowsOf(ndjson)).toEqual([{ A: 1 }, { A: 2 }]);
  expect(rowsOf(csvChunk("1,2\n", 2))).toEqual([]);
  expect(contents(rowsIn(ndjson, INPUT))).toEqual([{ A: 1 }, { A: 2 }]);
});

test("each row of a joined chunk has its child rows, and the rows come in batches", () => {
  const numbers = Array.from({ length: BATCH_ROWS + 1 }, (_, number) => `${number},x`);
  const batches = [...rowsIn(joinedChunk(numbers, ["p", "q"]), { ...INPUT, children: [PARTS] })];
  expect(batches.map((rows) => rows.length)).toEqual([BATCH_ROWS, 1]);
  expect(contents(batches)).toEqual(numbers.map((line) => line.split(",")));
  const full = rowsIn(joinedChunk(numbers.slice(1), []), INPUT);
  expect([...full].map((rows) => rows.length)).toEqual([BATCH_ROWS]);
  const children = batches.flat().map(({ row }) => row.children?.get("parts")?.length);
  expect(children).toEqual([2, ...numbers.slice(1).map(() => 0)]);
  const pieces = [...piecesIn(joinedChunk(["1,2"], ["p"]), { ...INPUT, children: [PARTS] })];
  expect(pieces.map((piece) => rowsOfPart(piece)[0]?.row.children?.get("parts"))).toMatchObject([[{ cells: ["p"] }]]);
});

/** A piece in which record `number` is the line with this index. A blank line has no row. */
function partOf(lines: readonly string[], part: Partial<PiecePart> = {}): PiecePart & { readonly asked: number[] } {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  const ends = lines.map((_, number) => Buffer.byteLength(lines.slice(0, number + 1).join("\n")));
  const starts = ends.map((end, number) => end - Buffer.byteLength(lines[number] ?? ""));
  const asked: number[] = [];
  const rowsAt = (numbers: readonly number[]): readonly (ReadRow | undefined)[] => {
    asked.push(...numbers);
    return numbers.map((number) => (lines[number]?.replaceAll('"', "").trim() === "" ? undefined : rowAt(number)));
  };
  const boundaries = { starts, ends, lines: starts.map((_, number) => number) };
  return { bytes, line: 1, boundaries, from: 0, rowsAt, asked, ...part };
}

function rowAt(line: number): ReadRow {
  return { row: { table: { kind: "json", file: "a" }, line, pointer: "", value: {} }, problems: [] };
}

const part = fc
  .tuple(
    fc.array(fc.constantFrom("x", "~", "!", " ", '""', '"x"', "\u00e9", "\u007f", ""), { maxLength: 9 }),
    fc.nat(9),
    fc.nat(9),
  )
  .map(([lines, one, other]) => ({
    lines,
    from: Math.min(one, other, lines.length),
    to: Math.min(Math.max(one, other), lines.length),
  }));

test("the records of a part are visited in order, without blank lines, and rows are created only for the row path", () => {
  fc.assert(
    fc.property(
      part,
      fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }),
      fc.boolean(),
      (given, areOthers, isWhole) => {
        const { lines, from } = given;
        const to = isWhole ? lines.length : given.to;
        const piece = partOf(lines, isWhole ? { from } : { from, to });
        const numbers = lines.map((_, number) => number).slice(from, to);
        const others = numbers.filter((number) => areOthers[number]);
        const expected = numbers.flatMap((number) => {
          if (!others.includes(number)) return [[number, undefined]];
          return lines[number]?.replaceAll('"', "").trim() === "" ? [] : [[number, number]];
        });
        const visited: unknown[] = [];
        visitRecords(piece, resultOf(others), (number, read) => visited.push([number, read?.row.line]));
        expect(visited).toEqual(expected);
        expect(piece.asked).toEqual(others);
      },
    ),
  );
});

function resultOf(others: readonly number[]): FastPathResult {
  const items: FastPathResult["items"] = {
    file: "a.csv",
    bytes: new Uint8Array(),
    lines: new Float64Array(),
    contents: new Float64Array(),
    keyStarts: new Int32Array(),
    keyEnds: new Int32Array(),
    keyTexts: [],
    hashes: undefined,
    rowHashes: new Float64Array(),
  };
  return { items, others, hasEncoded: false, textStarts: new Uint32Array(), textEnds: new Uint32Array() };
}

test("the number of counted records is the number of rows in the part", () => {
  fc.assert(
    fc.property(part, ({ lines, from, to }) => {
      const rows = rowsOfPart(partOf(lines, { from, to }));
      const expected = lines.map((text, number) => (text.replaceAll('"', "").trim() === "" ? -1 : number));
      expect(rows.map(({ row }) => row.line)).toEqual(expected.slice(from, to).filter((number) => number >= 0));
      expect(countRecords(partOf(lines, { from, to }))).toBe(rows.length);
      expect(countRecords(partOf(lines, { from }))).toBe(rowsOfPart(partOf(lines, { from })).length);
    }),
  );
});

test("records that begin with a visible ASCII character other than a quote are counted without creating rows", () => {
  const lines = ["!", "~", "x", '"x"', " x", "\u007f", "\u00e9"];
  const piece = partOf(lines);
  expect(countRecords(piece)).toBe(lines.length);
  expect(piece.asked).toEqual([3, 4, 5, 6]);
});

const scan: ScanRecords = () => resultOf([]);

test("each file is compiled once, with the child sources, even if its records need the row path", () => {
  const compiled: unknown[] = [];
  const compile: CompileFile = (file, joined) => {
    compiled.push([file, joined]);
    return file === CSV ? scan : undefined;
  };
  const find = scannersOf(compile, { ...INPUT, children: [PARTS] });
  expect([0, 1, 0, 1, 2].map(find)).toEqual([scan, undefined, scan, undefined, undefined]);
  expect(compiled).toEqual([
    [CSV, [PARTS]],
    [NDJSON, [PARTS]],
  ]);
  scannersOf(compile, INPUT)(0);
  expect(compiled.at(-1)).toEqual([CSV, []]);
  expect(scannersOf(undefined, INPUT)(0)).toBeUndefined();
});
