import { expect, test } from "vitest";
import { createFastContentHash } from "../../../src/json/fast-content-hash.ts";
import type { JsonValue } from "../../../src/json/json-value.ts";
import { jsonReader } from "../../../src/pipeline/bytes/record-reader.ts";

const FILE = { kind: "ndjson", keys: [], table: { kind: "json", file: "a.ndjson" }, jsonRecordBytes: 9999 } as const;
const COLUMNS = ["A", "B.C", "D"];

interface Read {
  readonly cells: readonly string[];
  readonly hash: number;
}

/** Reads records from the middle of a longer byte array. Returns undefined for a record that needs the row path. */
function read(records: readonly string[], columns = COLUMNS, hashesRows = true): readonly (Read | undefined)[] {
  const reader = jsonReader(FILE, columns, hashesRows);
  const starts = records.map((_, number) => 1 + Buffer.byteLength(records.slice(0, number).join("")) + number);
  const ends = starts.map((start, number) => start + Buffer.byteLength(records[number] ?? ""));
  const bytes = Buffer.from(`{${records.join("\n")}}`);
  const boundaries = { starts, ends, lines: starts.map((_, number) => number) };
  const begin = reader.begin({ bytes, boundaries, line: 1, from: 0, rowsAt: () => [] }, 0);
  const found = records.map((_, number) => {
    if (!begin(number) || !reader.read()) return undefined;
    const { cells } = reader;
    const texts = columns.map((_name, at) => cells.bytes.toString("utf8", cells.starts[at], cells.ends[at]));
    expect(cells.row().cells).toEqual(texts);
    return { cells: texts, hash: reader.rowHash() };
  });
  // The row path may read the same bytes, so they must be unchanged.
  expect(bytes.toString()).toBe(`{${records.join("\n")}}`);
  return found;
}

const hashOf = createFastContentHash();

function hashOfText(json: string): number {
  const value: JsonValue = JSON.parse(json);
  return hashOf(value);
}

test.each([
  ["members in order", '{"A":"x","B":{"C":"y"},"D":"z"}', ["x", "y", "z"]],
  ["members in another order", '{"D":"z","B":{"C":"y"},"A":"x"}', ["x", "y", "z"]],
  ["missing members", '{"D":"z"}', ["", "", "z"]],
  ["no members", "{}", ["", "", ""]],
  ["spaces", '{ "A" : "x" ,\t"B" : { "C" :\r"y" } , "E" : [ 1 , 2 ] , "F" : [ ] , "G" : { } }', ["x", "y", ""]],
  ["a name with a dot", '{"B.C":"y"}', ["", "y", ""]],
  ["numbers, booleans and null", '{"A":12,"B":{"C":true},"D":null}', ["12", "true", ""]],
  ["numbers that JavaScript writes differently", '{"A":1.50,"B":{"C":-0},"D":2.0}', ["1.5", "0", "2"]],
  ["escapes", '{"A":"\\u0041\\n","B":{"C":"\\"\\\\"},"D":"z"}', ["A\n", '"\\', "z"]],
  ["escapes after other values", '{"D":"z","A":"\\t"}', ["\t", "", "z"]],
  ["other alphabets", '{"A":"Zo\u00eb","D":"\u{1f600}"}', ["Zo\u00eb", "", "\u{1f600}"]],
  ["members that no column reads", '{"X":{"Y":[{"A":"n"},"\\u0041",1.50,null]},"A":"x"}', ["x", "", ""]],
  ["members of another object that are named like columns", '{"X":{"A":"n","D":[1]}}', ["", "", ""]],
  ["an escaped name", '{"\\u0041":"x"}', undefined],
  ["a repeated member", '{"A":"x","A":"y"}', undefined],
  ["a repeated member that no column reads", '{"X":1,"X":1}', undefined],
  ["a member and a path for the same column", '{"B.C":"x","B":{"C":"y"}}', undefined],
  ["an object in a column", '{"A":{}}', undefined],
  ["a list in a column", '{"A":[]}', undefined],
  ["a list above a column", '{"B":[{"C":"x"}]}', ["", "", ""]],
  ["a value above a column", '{"B":"x"}', ["", "", ""]],
  ["a forbidden name", '{"__proto__":1}', undefined],
  ["a control character", '{"A":"\u0007"}', undefined],
  ["an escaped control character", '{"A":"\\u0007"}', undefined],
  ["an unpaired surrogate", '{"A":"\\ud83d"}', undefined],
  ["an unknown escape", '{"A":"\\x"}', undefined],
  ["an open string", '{"A":"x}', undefined],
  ["an open string with an escape", '{"A":"x\\"}', undefined],
  ["an open object", '{"A":"x"', undefined],
  ["an open list", '{"X":[1}', undefined],
  ["an extra comma", '{"A":"x",}', undefined],
  ["an extra comma in a list", '{"X":[1,]}', undefined],
  ["no colon", '{"A" "x"}', undefined],
  ["no value", '{"A":}', undefined],
  ["text after the object", '{"A":"x"} x', undefined],
  ["a list instead of an object", "[]", undefined],
  ["a name without quotes", "{A:1}", undefined],
  ["a name without its first quote", '{xA":1}', undefined],
  ["a name without its last quote", '{"A\u0007:1}', undefined],
  ["a wrong first character", '("A":1}', undefined],
])("a record with %s is read on the fast path if possible", (_, json, cells) => {
  const expected = cells && { cells, hash: hashOfText(json) };
  const before = '{"A":"earlier","B":{"C":"\\n"},"D":"earlier"}';
  expect(read([before, json, before, json]).filter((_read, number) => number % 2 === 1)).toEqual([expected, expected]);
  expect(read([json], COLUMNS, false)).toEqual([expected && { ...expected, hash: 0 }]);
});

/** Returns all strings of one to five of these characters. */
function textsOf(characters: string): readonly string[] {
  let last = [""];
  const all: string[] = [];
  for (let length = 1; length <= 5; length += 1) {
    last = last.flatMap((text) => Array.from(characters, (character) => text + character));
    all.push(...last);
  }
  return all;
}

const WORDS = ["true", "false", "null", "tru", "truee", "nul", "nulll", "False", "nuxl", "trux"];
const LONG = ["12345678901234", "123456789012345", "1234567.123456", "-1.1234567", "0.0000001", "0.000001"];

test("booleans, null, and numbers of at most 14 characters without an exponent are read; other words need the row path", () => {
  const texts = [...textsOf("-.019e"), ...WORDS, ...LONG];
  const found = read(texts.map((text) => `{"A":${text}}`)).map((one) => one?.cells[0]);
  const expected = texts.map((text) => {
    if (text === "null") return "";
    if (text === "true" || text === "false") return text;
    if (text === "0.0000001") return text;
    const isNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text) && text.length < 15;
    return isNumber ? String(Number(text)) : undefined;
  });
  expect(found.map((one, number) => `${texts[number] ?? ""}: ${one ?? "row path"}`)).toEqual(
    expected.map((one, number) => `${texts[number] ?? ""}: ${one ?? "row path"}`),
  );
});

test.each([
  ["16 objects", ['{"A":', "}"], 15, true],
  ["17 objects", ['{"A":', "}"], 16, false],
  ["15 lists in an object", ["[", "]"], 15, true],
  ["16 lists in an object", ["[", "]"], 16, false],
] as const)(
  "values nested in %s are read on the fast path unless they are nested too deeply",
  (_, [start, end], depth, isRead) => {
    const json = `{"X":${start.repeat(depth)}1${end.repeat(depth)}}`;
    expect(read([json])[0]?.hash).toBe(isRead ? hashOfText(json) : undefined);
  },
);

test("the reader knows at most 10,000 members, and a record with another member needs the row path", () => {
  const own = ["A", "B", "B.C", "C below B", "D"];
  const names = Array.from({ length: 10_000 - own.length }, (_, number) => `"N${number}":1`);
  const records = [`{"A":1,${names.join(",")}}`, '{"Y":1}', '{"N5":1,"A":2}', '{"B":{"Y":1}}'];
  expect(read(records).map((one) => one?.cells[0])).toEqual(["1", undefined, "2", undefined]);
});
