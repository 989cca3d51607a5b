import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Failure } from "../../../src/model/failure.ts";
import { openInput } from "../../../src/read/input/open-input.ts";
import { failureOf, FIXTURES, read, source } from "../reading.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { rawWorkbook, textRow, zipped } from "./raw-workbook.ts";

const SHEET = textRow(1, ["A"]) + textRow(2, ["1"]);
const MIB = 2 ** 20;

async function written(content: string | Buffer, name = "book.xlsx"): Promise<string> {
  const path = join(temporaryFolder(), name);
  await writeFile(path, content);
  return path;
}

/** Changes the checksum of a part in the directory of the archive. */
function withWrongChecksum(workbook: Buffer, part: string): Buffer {
  const changed = Buffer.from(workbook);
  const at = changed.lastIndexOf(part) - DIRECTORY_ENTRY_BYTES + CHECKSUM_OFFSET;
  changed.writeUInt32LE(~changed.readUInt32LE(at) >>> 0, at);
  return changed;
}

/** Bytes of an entry of the directory before its name, and the positions of the checksum and unpacked size in them. */
const DIRECTORY_ENTRY_BYTES = 46;
const CHECKSUM_OFFSET = 16;
const SIZE_OFFSET = 24;

describe("the detection of workbooks", () => {
  it.each([
    ["from-libreoffice.ods", "is an OpenDocument file (.ods)", "save it as .xlsx"],
    ["from-libreoffice.xls", "is an old Excel or Word file", "save it as .xlsx"],
  ])("rejects a file of another office format with a suggestion: %s", async (name, message, hint) => {
    const failure = await failureOf(read(source(join(FIXTURES, "workbooks", name))));
    expect(failure).toMatchObject({ code: "source_wrong_kind", exitCode: 2 });
    expect(failure.message).toContain(message);
    expect(failure.hint).toContain(hint);
  });

  it("rejects text named .xlsx, a Word document, a binary workbook, other archives, and a workbook with the wrong name", async () => {
    const office = { "[Content_Types].xml": "<Types/>", "_rels/.rels": "<Relationships/>" };
    for (const [content, name, message] of [
      ["A,B\n1,2\n", "book.xlsx", "has the name of an Excel workbook, but is not one"],
      ["", "book.xlsx", "has the name of an Excel workbook, but is not one"],
      [await zipped({ ...office, "xl/workbook.bin": "" }), "book.xlsx", "is a binary workbook (.xlsb)"],
      [await zipped({ ...office, "word/document.xml": "<document/>" }), "letter.dat", "is not a workbook"],
      [await zipped({ "accounts.csv": "A\n1\n" }), "accounts.zip", "is a zip archive"],
      [await zipped({ "accounts.csv": "A\n1\n" }), "accounts.xlsx", "is not a workbook"],
      [gzipSync(await readFile(await rawWorkbook({ sheets: { S: SHEET } }))), "book.xlsx.gz", "is an Excel workbook"],
      [await readFile(await rawWorkbook({ sheets: { S: SHEET } })), "book.csv", "is an Excel workbook"],
    ] as const) {
      const failure = await failureOf(read(source(await written(content, name))));
      expect(failure).toMatchObject({ code: "source_wrong_kind" });
      expect(failure.message).toContain(message);
    }
  });

  it("accepts a workbook without a file extension", async () => {
    const path = await written(await readFile(await rawWorkbook({ sheets: { S: SHEET } })), "extract");
    expect((await read(source(path))).records).toHaveLength(1);
  });

  it("rejects an encrypted workbook with a suggestion", async () => {
    const header = Buffer.alloc(512);
    Buffer.from("d0cf11e0a1b11ae1", "hex").copy(header);
    header.writeUInt16LE(9, 30);
    header.writeUInt32LE(1, 48);
    const directory = Buffer.concat([Buffer.alloc(512), Buffer.from("EncryptedPackage", "utf16le")]);
    const failure = await failureOf(read(source(await written(Buffer.concat([header, directory])))));
    expect(failure).toMatchObject({ code: "source_wrong_kind", hint: expect.stringContaining("without a password") });
    expect(failure.message).toContain("is encrypted with a password");
  });

  it("rejects a sheet name for a CSV file", async () => {
    const failure = await failureOf(read({ ...source(await written("A\n1\n", "a.csv")), sheet: "S" }));
    expect(failure).toMatchObject({ code: "usage" });
  });
});

describe("a corrupt workbook", () => {
  it("is rejected if it is truncated anywhere", async () => {
    const whole = await readFile(await rawWorkbook({ sheets: { S: SHEET } }));
    for (const length of [4, 100, whole.length >> 1, whole.length - 1]) {
      const failure = await failureOf(read(source(await written(whole.subarray(0, length)))));
      expect(failure).toMatchObject({ code: "source_damaged", exitCode: 2 });
    }
  });

  it.each([
    ["xl/worksheets/sheet1.xml", "<worksheet><sheetData><row>"],
    ["xl/worksheets/sheet1.xml", "<worksheet><sheetData><row></c></row></sheetData></worksheet>"],
    ["xl/worksheets/sheet1.xml", Buffer.from([0x3c, 0x61, 0xff, 0x3e])],
    ["xl/worksheets/sheet1.xml", '<worksheet><sheetData><row r="2"/><row r="1"/></sheetData></worksheet>'],
    ["xl/worksheets/sheet1.xml", '<worksheet><sheetData><row><c r="B1"/><c r="A1"/></row></sheetData></worksheet>'],
    ["xl/worksheets/sheet1.xml", '<worksheet><sheetData><row><c r="ABCDE1"/></row></sheetData></worksheet>'],
    ["xl/sharedStrings.xml", "<sst><si>"],
    ["xl/styles.xml", ""],
    ["xl/workbook.xml", "<workbook"],
  ])("is rejected if its part %s is %j", async (part, content) => {
    const path = await rawWorkbook({ sheets: { S: SHEET }, parts: { [part]: content } });
    expect(await failureOf(read(source(path)))).toMatchObject({ code: "source_damaged" });
  });

  it.each([
    "xl/worksheets/sheet1.xml",
    "xl/sharedStrings.xml",
    "xl/styles.xml",
    "xl/workbook.xml",
    "xl/_rels/workbook.xml.rels",
  ])("is rejected if its part %s does not match its checksum", async (part) => {
    const path = await rawWorkbook({ sheets: { S: SHEET } });
    await writeFile(path, withWrongChecksum(await readFile(path), part));
    const failure = await failureOf(read(source(path)));
    expect(failure).toMatchObject({ code: "source_damaged", exitCode: 2 });
    expect(failure.message).toContain(`${part} does not match its checksum`);
  });

  it("is rejected if a part is larger than the directory of the archive says", async () => {
    const path = await rawWorkbook({ sheets: { S: SHEET } });
    const bytes = await readFile(path);
    const name = "xl/worksheets/sheet1.xml";
    bytes.writeUInt32LE(10, bytes.lastIndexOf(name) - DIRECTORY_ENTRY_BYTES + SIZE_OFFSET);
    await writeFile(path, bytes);
    const failure = await failureOf(read(source(path)));
    expect(failure).toMatchObject({ code: "source_damaged", message: expect.stringContaining("larger than") });
  });

  it("is rejected when only its header is read", async () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => textRow(index + 2, [`value ${index}`]));
    const path = await rawWorkbook({ sheets: { S: textRow(1, ["A"]) + rows.join("") } });
    await writeFile(path, withWrongChecksum(await readFile(path), "xl/worksheets/sheet1.xml"));
    const opened = openInput(source(path), { tempFolder: temporaryFolder(), onNotice: () => undefined });
    expect(await failureOf(opened)).toMatchObject({ code: "source_damaged" });
  });

  it("is either read or rejected if any single byte changes", async () => {
    const whole = await readFile(join(FIXTURES, "workbooks/from-libreoffice.xlsx"));
    const bugs: unknown[] = [];
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), fc.nat(255), async (at, byte) => {
        const changed = Buffer.from(whole);
        changed[at] = byte;
        const ended: unknown = await read(source(await written(changed))).catch((error: unknown) => error);
        if (ended instanceof Error && !(ended instanceof Failure)) bugs.push({ at, byte, ended });
      }),
      { numRuns: 150 },
    );
    expect(bugs).toEqual([]);
  });
});

describe("a forged workbook", () => {
  it.each([
    '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>',
    '<!DOCTYPE x SYSTEM "file:///etc/passwd">',
    '<!DOCTYPE x [<!ENTITY % e SYSTEM "http://127.0.0.1:9/">%e;]>',
  ])("with the declaration %s in any of its parts is rejected", async (declaration) => {
    for (const part of ["xl/workbook.xml", "xl/styles.xml", "xl/sharedStrings.xml", "xl/worksheets/sheet1.xml"]) {
      const path = await rawWorkbook({ sheets: { S: SHEET }, parts: { [part]: `${declaration}<x>&b;</x>` } });
      const failure = await failureOf(read(source(path)));
      expect(failure.code).toBe("source_damaged");
      expect(failure.message).toContain("document type declaration");
    }
  });

  it("with an excessive compression ratio is rejected before it is unpacked", async () => {
    const sheet = SHEET + "<row><c/></row>".repeat(MIB);
    const failure = await failureOf(read(source(await rawWorkbook({ sheets: { S: sheet } }))));
    expect(failure).toMatchObject({ code: "source_too_large", hint: expect.stringContaining("decompression bomb") });
  });

  it("with a part beyond the size limit is rejected", async () => {
    const path = await rawWorkbook({ sheets: { S: SHEET + "<row><c/></row>".repeat(100_000) } });
    expect(await failureOf(read(source(path), { limits: { inputBytes: MIB } }))).toMatchObject({
      code: "source_too_large",
      hint: expect.stringContaining("CSV UTF-8"),
    });
  });

  it("with too many parts or a duplicate part is rejected", async () => {
    const path = await rawWorkbook({ sheets: { S: SHEET } });
    expect(await failureOf(read(source(path), { limits: { workbookParts: 3 } }))).toMatchObject({
      code: "source_too_large",
    });
    const twice = await rawWorkbook({ sheets: { S: SHEET }, parts: { "XL/Workbook.xml": "<workbook/>" } });
    expect((await failureOf(read(source(twice)))).message).toContain("twice");
  });

  it("with more text than the memory limit allows is rejected", async () => {
    const strings = `<si><t>${"x".repeat(1000)}</t></si>`.repeat(100);
    const path = await rawWorkbook({ sheets: { S: SHEET }, strings });
    const failure = await failureOf(read(source(path), { limits: { workbookTextBytes: 50_000 } }));
    expect(failure).toMatchObject({ code: "source_too_large", hint: expect.stringContaining("CSV UTF-8") });
  });

  it.each([
    ["a string", `<c t="inlineStr"><is><t>${"x".repeat(3 * MIB)}</t></is></c>`],
    ["an attribute", `<c t="${"x".repeat(3 * MIB)}"/>`],
    ["a comment", `<!--${"<x>".repeat(MIB)}-->`],
    ["the strings of a row", '<c t="str"><v>0123456789</v></c>'.repeat(200_000)],
    ["the columns of a row", "<c/>".repeat(60_000)],
  ])("with %s beyond the limit is rejected", async (_, cells) => {
    const path = await rawWorkbook({ sheets: { S: `<row>${cells}</row>` } });
    const failure = await failureOf(read(source(path), { limits: { gzipRatio: 10_000 } }));
    expect(failure.code).toBe("source_too_large");
  });

  it.each([
    ["the strings of a row", '<c t="str"><v>€€€€€</v></c>'.repeat(30_000), "the row has more than"],
    ["a comment", `<!--${"€".repeat(300_000)}-->`, "is longer than"],
  ])("with %s beyond the limit in bytes, but not in characters, is rejected", async (_, cells, message) => {
    const path = await rawWorkbook({ sheets: { S: `<row>${cells}</row>` } });
    const failure = await failureOf(read(source(path), { limits: { csvRecordBytes: 400_000 } }));
    expect(failure).toMatchObject({ code: "source_too_large", message: expect.stringContaining(message) });
  });

  it("with a cell in the last row and column is read, and the row is ragged", async () => {
    const sheet = `${SHEET}<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>`;
    const { records } = await read(source(await rawWorkbook({ sheets: { S: sheet } })));
    expect(records.at(-1)?.problems).toMatchObject([{ code: "source_ragged_row", found: 16_384, expected: 1 }]);
  });

  it.each(["0", "-1", "1048577", "9007199254740993", "1e3", "0x10", "1.5", "", " 2", "1e300", "NaN", "Infinity"])(
    "with the row number %j is rejected",
    async (number) => {
      const path = await rawWorkbook({ sheets: { S: `${textRow(1, ["A"])}<row r="${number}"><c><v>1</v></c></row>` } });
      expect(await failureOf(read(source(path)))).toMatchObject({
        code: "source_damaged",
        message: expect.stringContaining("has a row number out of range"),
      });
    },
  );

  it.each(["XFE2", "ZZZZ2", "AAAAAAAA2", "2", "@2"])("with the cell reference %j is rejected", async (reference) => {
    const sheet = `${textRow(1, ["A"])}<row r="2"><c r="${reference}"><v>1</v></c></row>`;
    expect(await failureOf(read(source(await rawWorkbook({ sheets: { S: sheet } }))))).toMatchObject({
      message: expect.stringContaining("has a cell reference out of range"),
    });
  });

  it("cannot make the program open external parts", async () => {
    const relation =
      '<Relationships><Relationship Id="rId1" TargetMode="External" ' +
      'Type="http://x/officeDocument" Target="http://127.0.0.1:9/"/></Relationships>';
    const path = await rawWorkbook({ sheets: { S: SHEET }, parts: { "_rels/.rels": relation } });
    expect(await failureOf(read(source(path)))).toMatchObject({ code: "source_wrong_kind" });
  });
});
