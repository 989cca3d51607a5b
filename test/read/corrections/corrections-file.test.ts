import { statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import {
  CORRECTION_COLUMNS,
  type CorrectionChange,
  readAppendedChanges,
  readCorrections,
} from "../../../src/read/corrections/corrections-file.ts";
import { csvText } from "../../../src/report/csv-text.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const HASH = "0123456789abcdef".repeat(4);

/** Returns a value with quotes, line breaks and characters of several bytes. The lengths of values differ. */
function valueOf(index: number): string {
  return `${"é€😀".repeat(index % 7)}"${index}"\n${"x,".repeat(index % 11)}`;
}

function linesOf(from: number, to: number): string {
  return csvText(
    Array.from({ length: to - from }, (_, at) => {
      const index = from + at;
      return [`EXT-${index}`, "accounts", "NAME", HASH, "", valueOf(index), "ann", "2026-11-22", "test", "set"];
    }),
  );
}

const ROWS = 20_000;

test("reads a file that is longer than one chunk, with the line of each correction", async () => {
  const file = path.join(temporaryFolder(), "fixes.csv");
  writeFileSync(file, `\uFEFF${csvText([CORRECTION_COLUMNS])}${linesOf(0, ROWS)}`);
  expect(statSync(file).size).toBeGreaterThan(3_000_000);
  const found = (await readCorrections(file)).corrections;
  expect(found.map(({ key, value }) => [key, value])).toEqual(
    Array.from({ length: ROWS }, (_, index) => [`EXT-${index}`, valueOf(index)]),
  );
  expect(found.map(({ line }) => line)).toEqual(Array.from({ length: ROWS }, (_, index) => 2 + 2 * index));
});

test("reads appended lines, and a value that is longer than one chunk", async () => {
  const file = path.join(temporaryFolder(), "fixes.csv");
  const header = csvText([CORRECTION_COLUMNS]);
  const long = `"${"a\n".repeat(1_500_000)}`;
  const last = csvText([["EXT-L", "accounts", "NAME", HASH, "", long, "ann", "2026-11-22", "test", "set"]]);
  const before = `${header}${linesOf(0, 100)}`;
  writeFileSync(file, `${before}${linesOf(100, 200)}${last}`);
  const range = { from: Buffer.byteLength(before), to: statSync(file).size };
  const found: CorrectionChange[] = [];
  for await (const changes of readAppendedChanges(file, range)) found.push(...changes.changes);
  expect(found).toHaveLength(101);
  expect(found[0]?.correction).toMatchObject({ key: "EXT-100", line: 202 });
  expect(found.at(-1)?.correction).toMatchObject({ value: long, line: 402 });
});

test("counts the lines of appended text from the start of the file", async () => {
  const file = path.join(temporaryFolder(), "fixes.csv");
  const before = `\uFEFF${csvText([CORRECTION_COLUMNS])}${linesOf(0, ROWS)}`.replaceAll("\n", "\r\n");
  const range = { from: Buffer.byteLength(before), to: Buffer.byteLength(before) + 8 };
  const read = async (appended: string) => {
    writeFileSync(file, before + appended);
    for await (const { incompleteLine } of readAppendedChanges(file, range)) return incompleteLine;
    return undefined;
  };
  await expect(read("bad,line")).resolves.toBe(2 + 2 * ROWS);
  await expect(read("bad,li\r\n")).rejects.toThrow(`fixes.csv:${2 + 2 * ROWS}: expected 10 cells, found 2`);
});

test.each([
  ["\n", /:1: expected the header/],
  ["key,source,name", /:1: expected the header/],
  [`${CORRECTION_COLUMNS.join()}\nEXT-1,accounts,NAME\n`, /:2: expected 10 cells, found 3/],
  [`${CORRECTION_COLUMNS.join()}\nEXT-1,\0\n`, /binary file/],
])("refuses the file %j", async (text, message) => {
  const file = path.join(temporaryFolder(), "fixes.csv");
  writeFileSync(file, text);
  await expect(readCorrections(file)).rejects.toMatchObject({
    code: "config",
    message: expect.stringMatching(message),
  });
});

test("names the line of a byte that is not UTF-8 in a later chunk", async () => {
  const file = path.join(temporaryFolder(), "fixes.csv");
  const text = Buffer.from(`${csvText([CORRECTION_COLUMNS])}${linesOf(0, ROWS)}`);
  writeFileSync(file, Buffer.concat([text, Buffer.from([0xff, 0x0a])]));
  await expect(readCorrections(file)).rejects.toMatchObject({
    message: expect.stringContaining(`:${2 + 2 * ROWS}: byte 0xff is not UTF-8`),
  });
});

test("refuses a value with text after its closing quotation mark", async () => {
  const file = path.join(temporaryFolder(), "fixes.csv");
  const line = `EXT-1,accounts,NAME,${HASH},,"Ann"a,ann,2026-11-22,test,set`;
  writeFileSync(file, `${csvText([CORRECTION_COLUMNS])}${line}\n`);
  const failure = { code: "config", message: expect.stringMatching(/fixes\.csv:2: there is a quotation mark inside/) };
  await expect(readCorrections(file)).rejects.toMatchObject(failure);
  writeFileSync(file, `${csvText([CORRECTION_COLUMNS])}${line}`);
  await expect(readCorrections(file)).rejects.toMatchObject(failure);
});
