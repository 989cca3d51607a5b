import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { plainText } from "../../src/text/plain-text.ts";
import { cells, failureOf, problemsOf, read, source } from "./reading.ts";
import { campaignSize } from "../campaign.ts";
import { temporaryFolder } from "../temporary-folder.ts";

type Refused = readonly [title: string, content: string | Buffer, code: string, line: number | undefined];

/** Files that cannot be read as data. The failure names the line, if there is one. */
const REFUSED: Readonly<Record<string, readonly Refused[]>> = {
  "extract.csv": [
    ["only a byte order mark", "\uFEFF", "source_no_header", 1],
    ["an overlong UTF-8 character", bytes("A\n1\n", 0xc0, 0xaf), "source_bad_encoding", 3],
    ["a surrogate in UTF-8", bytes("A\n", 0xed, 0xa0, 0x80), "source_bad_encoding", 2],
    ["UTF-8 that ends within a character", bytes("A\n1\n\u20ac".slice(0, 4), 0xe2, 0x82), "source_bad_encoding", 3],
    ["UTF-32", bytes("", 0xff, 0xfe, 0, 0, 0x41, 0, 0), "source_bad_encoding", 1],
    ["a delimiter at the end of every line, followed by data in one line", "A,B,\n1,2,3\n", "source_bad_header", 1],
    ["a header named constructor", "A,constructor\n1,2\n", "source_bad_header", 1],
    ["a header named toString", "A,toString\n1,2\n", "source_bad_header", 1],
    ["a header that reaches into a prototype", "A,b.__proto__.c\n1,2\n", "source_bad_header", 1],
    ["headers that differ only in Unicode normalisation", "\u00e9,e\u0301\n1,2\n", "source_bad_header", 1],
    ["a header with a zero-width space", "A,B\u200b\n1,2\n", "source_bad_header", 1],
    ["an unclosed quote in the header", 'A,"B\n1,2\n', "source_unclosed_quote", 1],
    ["an unclosed quote in the last line", 'A,B\n1,2\n3,"4', "source_unclosed_quote", 3],
    ["a spreadsheet", "PK\x03\x04 xl/workbook.xml", "source_wrong_kind", undefined],
    ["a picture", bytes("", 0x89, 0x50, 0x4e, 0x47), "source_wrong_kind", undefined],
    ["XML", '<?xml version="1.0"?><a/>', "source_wrong_kind", undefined],
  ],
  "extract.json": [
    ["nothing", "", "source_empty", 1],
    ["whitespace", " \n\t\n", "source_empty", 1],
    ["a string", '"Ada"', "source_wrong_kind", 1],
    ["a number", "1", "source_wrong_kind", 1],
    ["null", "null", "source_wrong_kind", 1],
    ["two documents", '{"a":1}\n{"a":2}', "source_wrong_kind", 2],
    ["a comma at the end of an object", '{\n"a":1,\n}', "source_damaged", 3],
    ["a comment", '{\n// why\n"a":1}', "source_damaged", 2],
    ["single quotes", "{'a':1}", "source_damaged", 1],
    ["NaN", '{"a":\nNaN}', "source_damaged", 2],
    ["-Infinity", '{"a":-Infinity}', "source_damaged", 1],
    ["a truncated array", '[{"a":1},\n{"a":', "source_damaged", 2],
  ],
  "extract.ndjson": [["a document that spans several lines", '{\n  "a": 1\n}\n', "source_wrong_kind", 1]],
};

/** `[title, content, problems]`: reading continues after each problem. */
const READ: Readonly<Record<string, readonly (readonly [string, string, readonly string[]])[]>> = {
  "extract.csv": [
    ["a delimiter at the end of every line", "A,B,\n1,2,\n", []],
    ["backslashes", 'A,B\n"a\\",b\\n\n', []],
    ["a line separator in a cell", "A,B\na\u2028b,c\n", []],
    ["rows of whitespace", "A,B\n \n\t\n1,2\n\n\n", []],
    ["a comment line", "A,B\n# why\n1,2\n", ["source_ragged_row@2"]],
    ["a last line without a line ending", "A,B\n1,2", []],
    ["a truncated last line", "A,B\n1,2\n3", ["source_truncated_row@3"]],
    ["NUL and escapes", "A,B\na\0,\u001b[2J\n", ["source_control_character@2:1", "source_control_character@2:2"]],
    ["ten thousand combining accents on one letter", `A,B\ne${"\u0301".repeat(10_000)},\u{1f600}\n`, []],
    ["formulas", "A,B\n=cmd|' /C calc'!A0,+441632960000\n-1,@x\n", []],
  ],
  "extract.json": [
    ["names of methods", '[{"toJSON":1,"length":-1,"then":"x","valueOf":null}]', []],
    ["a nested prototype name", '[{"a":{"b":[{"__proto__":{"c":1}}]}}]', ["source_forbidden_name@1/0/a/b/0/__proto__"]],
    ["elements that are not objects", '[1,"a",null,[]]', [0, 1, 2, 3].map((at) => `source_not_an_object@1/${at}`)],
    ["a byte order mark", '\uFEFF[{"a":1}]', []],
    ["-0 and 1.0", '[{"a":-0,"b":1.0}]', []],
    ["twenty digits", '[{"a":12345678901234567890}]', ["source_unsafe_number@1/0/a"]],
  ],
  "extract.ndjson": [
    ["an invalid line among valid lines", '{"a":1}\n{"a":\n\n{"a":3}\r\n', ["source_invalid_json@2"]],
    ["a line with an array", '{"a":1}\n[{"a":2}]\n', ["source_not_an_object@2"]],
    ["a truncated last line", '{"a":1}\n{"a":"2', ["source_invalid_json@2"]],
  ],
};

describe.each(Object.entries(REFUSED))("%s is rejected with the line of the error if it contains", (name, cases) => {
  it.each(cases)("%s", async (_, content, code, line) => {
    const failure = await failureOf(read(source(await written(name, content))));
    expect(failure).toMatchObject({ code, exitCode: 2, message: expect.stringContaining(name) });
    expect(failure.place?.line).toBe(line);
  });
});

describe.each(Object.entries(READ))("%s is read, and its problems are reported, if it contains", (name, cases) => {
  it.each(cases)("%s", async (_, content, problems) => {
    const { records } = await read(source(await written(name, content)));
    expect(problemsOf(records)).toEqual(problems);
    expect(records.length).toBeGreaterThan(0);
  });
});

it("an empty JSON file is rejected with a hint, because an extract without records contains an empty list", async () => {
  const failure = await failureOf(read(source(await written("extract.json", ""))));
  expect(failure.hint).toContain("a JSON file without records contains only []");
  expect((await read(source(await written("extract.json", "[]")))).records).toEqual([]);
});

it("cells that look like commands are read unchanged", async () => {
  const { records } = await read(source(await written("a.csv", "A,B\n=1+1,\u2028\ta\\n\n")));
  expect(records.map(({ row }) => cells(row))).toEqual([["=1+1", "\u2028\ta\\n"]]);
});

it.each(["-rf.csv", "a\nb.csv", "\u001b[2Jgone.csv", "--help", "\u202egpj.csv"])(
  "a file can be called %j, and its name is escaped on the screen",
  async (name) => {
    const path = await written(name, "A,B\n1,2\n");
    expect((await read(source(path))).records).toHaveLength(1);
    const failure = await failureOf(read(source(`${path}.not`)));
    expect(plainText(failure.message)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  },
);

it("reads an input with more files than a process may open at the same time", async () => {
  const count = campaignSize({ part: 1_100, whole: 1_500 });
  const folder = temporaryFolder();
  await mkdir(join(folder, "many"));
  for (let at = 0; at < count; at += 1) await writeFile(join(folder, "many", `${at}.csv`), `A\n${at}\n`);
  expect((await read(source(join(folder, "many", "*.csv")))).records).toHaveLength(count);
});

function bytes(text: string, ...more: readonly number[]): Buffer {
  return Buffer.concat([Buffer.from(text), Buffer.from(more)]);
}

async function written(name: string, content: string | Buffer): Promise<string> {
  const path = join(temporaryFolder(), name);
  await writeFile(path, content);
  return path;
}
