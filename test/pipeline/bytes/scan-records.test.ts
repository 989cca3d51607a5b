import fc from "fast-check";
import { expect, test } from "vitest";
import type { FastPathCells } from "../../../src/pipeline/bytes/fast-path-cells.ts";
import type { ChildRecords } from "../../../src/pipeline/bytes/child-records.ts";
import { ABSENT, type Encoder, UNCERTAIN } from "../../../src/pipeline/bytes/encode-leaf.ts";
import { csvReader, jsonReader, type RecordReader } from "../../../src/pipeline/bytes/record-reader.ts";
import { contentTextHash } from "../../../src/ledger/records/record-hashes.ts";
import { createScanner, type FastPathResult, type PayloadTexts } from "../../../src/pipeline/bytes/scan-records.ts";
import type { RecordPiece } from "../../../src/read/chunks/chunk-rows.ts";
import type { ChildGroups } from "../../../src/read/join/bytes/joined-piece.ts";
import { csvHeader } from "../../../src/read/csv/csv-header.ts";
import { byteKinds, findRecordBoundaries } from "../../../src/read/csv/record-boundaries.ts";
import { createByteList } from "../../../src/text/byte-list.ts";

const HEADER = csvHeader({ file: "a.csv", line: 1 }, ["KEY", "HOW"], new Map());
const FILE = { kind: "csv", keys: [], layout: { header: HEADER, delimiter: ",", headerByte: 0 } } as const;

/** A piece whose records begin on line 100. Its rows are never needed. */
function pieceOf(lines: readonly string[], from = 0): RecordPiece {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  const boundaries = findRecordBoundaries(bytes, byteKinds(","), true);
  return { bytes, boundaries, line: 100, from, rowsAt: noRows };
}

function noRows(): never {
  throw new Error("the scan needs no rows");
}

/** The encoder's action for a record, as named in the record's second cell. */
const HOWS = ["cell", "text", "none", "empty", "absent", "uncertain", "error"] as const;
type How = (typeof HOWS)[number];

/** Returns an encoder that writes the first cell to the list, and whose content is the number of earlier records. */
function encoderOf({ list }: PayloadTexts): Encoder {
  let count = 0;
  return (cells) => {
    const { bytes, starts, ends } = cells;
    expect(cells).toMatchObject({ made: 0, keyStart: -1, keyText: undefined });
    const [key, how] = [0, 1].map((column) => bytes.toString("latin1", starts[column], ends[column]));
    list.addText(`[${key ?? ""}]`);
    const content = count;
    count += 1;
    if (how === "error") throw new Error("the record cannot be encoded");
    Object.assign(cells, { made: 1, keyEnd: ends[0], keyText: how === "text" ? `own ${key ?? ""}` : undefined });
    if (how === "empty") cells.keyText = "";
    if (how === "cell") cells.keyStart = starts[0] ?? 0;
    return how === "uncertain" ? UNCERTAIN : how === "absent" ? ABSENT : content;
  };
}

interface Seen {
  readonly number: number;
  readonly line: number | undefined;
  readonly content: number | undefined;
  readonly key: string | undefined;
  readonly text: string;
  readonly hashes: readonly string[];
  readonly rowHash: number | undefined;
}

interface Noted {
  readonly list: Uint8Array;
  readonly number: number;
}

function seen(piece: RecordPiece, { items, textStarts, textEnds }: FastPathResult, { list, number }: Noted): Seen {
  const start = items.keyStarts[number] ?? 0;
  const hash = (at: number): string => textOf(items.hashes?.subarray(32 * at, 32 * (at + 1)) ?? new Uint8Array());
  return {
    number,
    line: items.lines[number],
    content: items.contents[number],
    key: start < 0 ? items.keyTexts[number] : piece.bytes.toString("latin1", start, items.keyEnds[number]),
    text: Buffer.from(list.subarray(textStarts[number] ?? 0, textEnds[number] ?? 0)).toString(),
    hashes: items.hashes === undefined ? [] : [hash(2 * number), hash(2 * number + 1)],
    rowHash: items.rowHashes[number],
  };
}

/** Returns a readable identity of 32 bytes. */
function identityOf(key: string): Uint8Array {
  return Buffer.from(`key ${key}`.padEnd(32));
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

function countingReader(): RecordReader {
  const reader = csvReader(FILE);
  return { ...reader, rowHash: () => reader.cells.start };
}

interface Run {
  readonly kept: "nothing" | "texts" | "hashes";
  readonly hasKey: boolean;
}

/** Returns the data that the scan must note for a record. Returns undefined if the record needs the row path. */
function expectedOf(
  { kept, hasKey }: Run,
  [how, key]: Given,
  count: number,
): Omit<Seen, "number" | "line" | "rowHash"> | undefined {
  const keys: Partial<Record<How, string | undefined>> = { cell: key, text: `own ${key}`, empty: "", none: undefined };
  const keyText = keys[how];
  if (!Object.hasOwn(keys, how) || (hasKey && (keyText ?? "") === "")) return undefined;
  return {
    content: hasKey ? count : Number.NaN,
    key: keyText,
    text: kept === "nothing" ? "" : `[${key}]`,
    hashes: kept === "hashes" ? [identityOf(keyText ?? ""), contentTextHash(`[${key}]`)].map(textOf) : [],
  };
}

type Given = readonly [How, key: string];
const record: fc.Arbitrary<Given> = fc.tuple(
  fc.constantFrom("cell", "text", ...HOWS),
  fc.constantFrom("A", "BB", "12345"),
);
const pieces = fc.array(
  fc.record({ records: fc.array(record, { maxLength: 12 }), skipped: fc.nat(1), isFirstOnBothPaths: fc.boolean() }),
  { maxLength: 3 },
);

interface Expected {
  readonly good: readonly Seen[];
  readonly others: readonly number[];
}

interface GivenPiece {
  readonly records: readonly Given[];
  readonly skipped: number;
  readonly isFirstOnBothPaths: boolean;
}

/** @param count the number of records in earlier pieces */
function expectedIn(
  run: Run,
  { records, isFirstOnBothPaths }: GivenPiece,
  piece: RecordPiece,
  count: number,
): Expected {
  const good: Seen[] = [];
  const others: number[] = [];
  for (const [index, given] of records.slice(piece.from).entries()) {
    const number = piece.from + index;
    const expected = expectedOf(run, given, count + index);
    const rowHash = run.kept === "hashes" ? piece.boundaries.starts[number] : undefined;
    if (expected === undefined || (isFirstOnBothPaths && good.length === 0)) others.push(number);
    if (expected !== undefined) good.push({ ...expected, number, line: 100 + number, rowHash });
  }
  return { good, others };
}

test.each([
  ["validates records", { kept: "nothing", hasKey: true }],
  ["validates records without a key", { kept: "nothing", hasKey: false }],
  ["plans records", { kept: "hashes", hasKey: true }],
  ["reads planned records again", { kept: "texts", hasKey: true }],
] as const)("a run that %s notes the encoded records, and leaves the other records to the row path", (_, run) => {
  fc.assert(
    fc.property(pieces, (all) => {
      const list = createByteList();
      const texts = run.kept === "hashes" ? { list, identityOf } : { list };
      const used = run.kept === "nothing" ? undefined : texts;
      const make = encoderOf(texts);
      const scan = createScanner({ reader: countingReader(), make, texts: used, hasKey: run.hasKey, children: [] });
      let count = 0;
      for (const given of all) {
        const lines = given.records.map(([how, key]) => `${key},${how}`);
        const piece = pieceOf(lines, Math.min(given.skipped, lines.length));
        const { good, others } = expectedIn(run, given, piece, count);
        count += lines.length - piece.from;
        const before = Buffer.from(list.bytes()).toString();
        const found = scan(piece, given);
        expect(found.others).toEqual(others);
        expect(found.hasEncoded).toBe(given.isFirstOnBothPaths && good.length > 0);
        expect(found.items.file).toBe("a.csv");
        expect(good.map(({ number }) => seen(piece, found, { list: list.bytes(), number }))).toEqual(good);
        const after = Buffer.from(list.bytes()).toString();
        expect(used && after).toBe(used && before + good.map(({ text }) => text).join(""));
      }
    }),
  );
});

test("a scan of a part of a piece stops at the end of the part", () => {
  const scan = createScanner({ reader: csvReader(FILE), make: () => 1, texts: undefined, hasKey: false, children: [] });
  const piece = { ...pieceOf(["a,b", "a", "a,b", "a"]), to: 3 };
  expect(scan(piece, { isFirstOnBothPaths: false })).toMatchObject({ others: [1], hasEncoded: false });
});

test("records with control characters, stray quotes or a wrong number of cells need the row path", () => {
  for (const texts of [undefined, { list: createByteList() }]) {
    const scan = createScanner({ reader: csvReader(FILE), make: () => 1, texts, hasKey: false, children: [] });
    const piece = pieceOf(["a,\u0007", 'a,b"', "a", "a,b,c"]);
    expect(scan(piece, { isFirstOnBothPaths: false }).others).toEqual([0, 1, 2, 3]);
  }
});

test("the key is noted as text if the record was copied to remove escapes", () => {
  const file = { kind: "ndjson", keys: [], table: { kind: "json", file: "a.ndjson" }, jsonRecordBytes: 1000 } as const;
  const reader = jsonReader(file, ["KEY"], false);
  const scan = createScanner({ reader, make: keyOfFirstCell, texts: undefined, hasKey: true, children: [] });
  const lines = ['{"KEY":"A"}', '{"KEY":"\\u0042"}', '{"KEY":"C"}'];
  const bytes = Buffer.from(lines.join("\n"));
  const boundaries = { starts: [0, 12, 29], ends: [11, 28, 40], lines: [1, 2, 3] };
  const { items, others } = scan({ ...pieceOf([]), bytes, boundaries }, { isFirstOnBothPaths: false });
  expect(others).toEqual([]);
  expect(items.keyTexts.slice(0, 3)).toEqual([undefined, "B", undefined]);
  const keys = [0, 1, 2].map((number) => bytes.toString("latin1", items.keyStarts[number], items.keyEnds[number]));
  expect([keys[0], keys[2]]).toEqual(["A", "C"]);
  expect(Array.from(items.keyStarts.slice(0, 3))).toEqual([8, -1, 37]);
});

function keyOfFirstCell(cells: FastPathCells): number {
  Object.assign(cells, { keyStart: cells.starts[0], keyEnd: cells.ends[0] });
  return 7;
}

/** Returns child records that are unreadable only for root record 1. Adds each loaded group to `loaded`. */
function childrenWithProblem(loaded: ChildGroups[]): ChildRecords {
  return {
    name: "children",
    files: [],
    cells: [],
    load: (groups) => void loaded.push(groups),
    begin: (number) => (number === 1 ? -1 : 0),
    selectChild: () => 0,
  };
}

test.each([
  ["yes, if they are not part of the payload", false, [1]],
  ["no, if they are part of the payload, because the encoder reads them", true, []],
])("a record with unreadable child records needs the row path: %s", (_, isEncoded, others) => {
  const loaded: ChildGroups[] = [];
  const children = [{ records: childrenWithProblem(loaded), isEncoded }];
  const scan = createScanner({ reader: csvReader(FILE), make: () => 1, texts: undefined, hasKey: false, children });
  const groups: ChildGroups = {
    slices: [],
    starts: new Int32Array(4),
    sliceAt: new Int32Array(),
    numberAt: new Int32Array(),
  };
  const piece = pieceOf(["a,b", "a,b", "a,b"]);
  expect(scan({ ...piece, groups: [groups] }, { isFirstOnBothPaths: false }).others).toEqual(others);
  scan(piece, { isFirstOnBothPaths: false });
  expect(loaded[0]).toBe(groups);
  expect(loaded[1]?.slices).toEqual([]);
});
