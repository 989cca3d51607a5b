import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Failure } from "../../../src/model/failure.ts";
import type { ReadLimits } from "../../../src/read/read-limits.ts";
import { cells, failureOf, firstCells, fixture, problemsOf, read, type Reading, source } from "../reading.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

describe("the CSV reader", () => {
  it("accepts mixed line endings and skips blank lines", async () => {
    const { records } = await read(fixture("mixed-line-ends.csv"));
    expect(records.map(({ row }) => [row.line, ...cells(row)])).toEqual([
      [2, "A1", "Ada"],
      [3, "A2", "B\rea"],
      [5, "A3", "Cyd"],
      [8, "A4", "Dot"],
    ]);
    expect(problemsOf(records)).toEqual([]);
  });

  it("distinguishes a truncated file from a ragged row", async () => {
    const { records } = await read(fixture("cut-off.csv"));
    expect(problemsOf(records)).toEqual(["source_truncated_row@3"]);
  });

  it("does not count the columns that a rejects file adds if a row has too many cells", async () => {
    const file = join(temporaryFolder(), "rejects.csv");
    await writeFile(file, "A,B,migrate_key,migrate_attr,migrate_code,migrate_detail\n1,2,3,k,a,c,d\n1\n");
    const { records } = await read(source(file));
    expect(records.flatMap(({ problems }) => problems)).toMatchObject([
      { code: "source_ragged_row", found: 3, expected: 2 },
      { code: "source_ragged_row", found: 1, expected: 6 },
    ]);
  });

  it.each([
    ["A,B\n1,2\nA,B\n3,4\n", ["source_repeated_header@3"]],
    ['"A",B\n1,2\nA,"B"\n', ["source_repeated_header@3"]],
    ["A,B\n1,2\n\uFEFFA,B\n", ["source_repeated_header@3"]],
    ['"A\nname",B,\n"A\nname",B\n', ["source_repeated_header@3"]],
    ["A\nA\n", ["source_repeated_header@2"]],
    ["A,B\nA,b\nB,A\n A,B\n", []],
  ])("reports a repeated header, which used to be sent as a record: %j", async (content, problems) => {
    const file = join(temporaryFolder(), "a.csv");
    await writeFile(file, content);
    expect(problemsOf((await read(source(file))).records)).toEqual(problems);
  });

  it("reports a repeated header even if the mapping renames its columns", async () => {
    const file = join(temporaryFolder(), "a.csv");
    await writeFile(file, "A,A\n1,2\nA,A\n");
    const { records } = await read({ ...source(file), rename: new Map([[2, "B"]]) });
    expect(problemsOf(records)).toEqual(["source_repeated_header@3"]);
  });

  it("reports stray quotes and continues after them", async () => {
    const { records } = await read(fixture("stray-quotes.csv"));
    expect(records.map(({ row }) => cells(row)[1])).toEqual(['1"x', '"quoted" behind', 'a "b" c']);
    expect(problemsOf(records)).toEqual(["source_stray_quote@2", "source_stray_quote@3"]);
  });

  it("reports control characters at their cells: NUL as an error, and other characters as warnings", async () => {
    const { records } = await read(fixture("control-characters.csv"));
    expect(records.flatMap(({ problems }) => problems)).toMatchObject([
      { code: "source_control_character", character: "U+0000", severity: "error", place: { line: 2, column: "NAME" } },
      {
        code: "source_control_character",
        character: "U+001B",
        severity: "warning",
        place: { line: 2, column: "NOTE" },
      },
      {
        code: "source_control_character",
        character: "U+0085",
        severity: "warning",
        place: { line: 3, column: "NAME" },
      },
    ]);
  });

  it("reports invisible characters in keys", async () => {
    const { records } = await read({ ...fixture("invisible-in-keys.csv"), key: "ACCOUNT_REF" });
    expect(records.flatMap(({ problems }) => problems)).toMatchObject([
      { code: "source_control_character", character: "U+00A0", severity: "error", place: { line: 2, columnNumber: 1 } },
      { code: "source_control_character", character: "U+200B", severity: "error", place: { line: 3, columnNumber: 1 } },
      { character: "U+3164", place: { line: 5 } },
      { character: "U+FFA0", place: { line: 6 } },
      { character: "U+034F", place: { line: 7 } },
      { character: "U+2800", place: { line: 8 } },
      { character: "U+115F", place: { line: 9 } },
    ]);
  });

  it("respects the sep= line of Excel", async () => {
    const { records, notices } = await read(fixture("excel-sep-line.csv"));
    expect(records.map(({ row }) => [row.line, ...cells(row)])).toEqual([[3, "A1", "Ada, Countess"]]);
    expect(notices).toHaveLength(1);
  });

  it("uses tabs for .tsv files, or when tab is declared as the delimiter", async () => {
    expect(await read(fixture("tabs.tsv"))).toMatchObject({ notices: [], records: [{ number: 1 }] });
    for (const delimiter of ["tab", "\\t", "\t"]) {
      expect((await read(fixture("tabs.tsv"), { delimiter })).records.map(({ row }) => cells(row))).toEqual([
        ["A1", "Ada"],
      ]);
    }
  });

  it("rejects a declared delimiter that yields one column or is not a single character", async () => {
    expect(await failureOf(read(fixture("semicolons.csv"), { delimiter: "|" }))).toMatchObject({
      code: "source_bad_header",
    });
    expect(await failureOf(read(fixture("semicolons.csv"), { delimiter: ";;" }))).toMatchObject({ code: "usage" });
  });

  it.each([
    ["A;B\n1,5;2\n2,5;3\n", ["1,5", "2"]],
    ["A,B;C\n1,2;3\n", ["1", "2;3"]],
    ["A|B;C|D\n1|2|3\n", ["1", "2", "3"]],
    ['"A,B,C";D\n"1";2\n', ["1", "2"]],
    ["ONE\n1;5\n", ["1;5"]],
  ])("detects the delimiter of %j", async (text, first) => {
    const { records } = await readText(text);
    expect(firstCells(records)).toEqual(first);
  });

  it("rejects a record that exceeds the limit, quoted or not", async () => {
    const limits = { csvRecordBytes: 1000 };
    const long = "x".repeat(600_000);
    expect(await failureOf(readText(`A,B\n1,${long}\n`, limits))).toMatchObject({
      code: "source_too_large",
      place: { line: 2 },
    });
    expect(await failureOf(readText(`A,B\n1,"${long}\n`, limits))).toMatchObject({
      code: "source_unclosed_quote",
      place: { line: 2 },
    });
  });

  it("rejects a line of whitespace that exceeds the record limit", async () => {
    const spaces = " ".repeat(600_000);
    expect(await failureOf(readText(`A,B\n1,2\n${spaces}\n`, { csvRecordBytes: 1000 }))).toMatchObject({
      code: "source_too_large",
      place: { line: 3 },
    });
  });

  it("rejects a header with more columns than the limit", async () => {
    expect(await failureOf(readText("A,B,C\n1,2,3\n", { csvColumns: 2 }))).toMatchObject({
      code: "source_too_large",
      place: { line: 1 },
      message: expect.stringContaining("more than 2 columns"),
    });
  });

  it("reads 20,000 columns", async () => {
    const header = Array.from({ length: 20_000 }, (_, index) => `COLUMN_${index}`).join(",");
    const { records } = await readText(`${header}\n${",".repeat(19_999)}\n`);
    expect(firstCells(records)).toHaveLength(20_000);
  });

  it("reads rows unchanged and with the correct line numbers, for any line endings and chunk boundaries", async () => {
    const lineEnd = fc.constantFrom("\n", "\r\n", "\r");
    const text = fc.array(fc.constantFrom("a", "7", " ", '"', ",", "\n", "\r\n", "\r", "\u00E9", "\u{1F600}", ";"), {
      maxLength: 6,
    });
    const cell = text.map((parts) => parts.join(""));
    const row = fc.record({ cells: fc.tuple(cell, cell), quoteAll: fc.boolean(), lineEnd });
    const property = fc.asyncProperty(fc.array(row, { maxLength: 12 }), fc.nat(40), async (rows, shift) => {
      const padding = "x".repeat(256 * 1024 - shift);
      const head = `A,B\n${padding},y\n`;
      let line = 3;
      let file = head;
      const expected: (string | number)[][] = [];
      for (const {
        cells: [first, second],
        quoteAll,
        lineEnd: end,
      } of rows) {
        const written = [first, second].map((value) => writeCell(value, quoteAll));
        const ambiguous = file.endsWith("\r") && end === "\n" && written.join("") === "";
        if (ambiguous) continue;
        file += written.join(",") + end;
        expected.push([line, first, second]);
        line += 1 + lineEnds(first) + lineEnds(second);
      }
      const { records } = await readText(file);
      expect(records.slice(1).map((record) => [record.row.line, ...cells(record.row)])).toEqual(expected);
      expect(problemsOf(records)).toEqual([]);
    });
    await fc.assert(property, { numRuns: 25 });
  });

  it("reads any text as rows, or fails with a known code", async () => {
    const parts = fc.array(fc.constantFrom("a", '"', ",", "\n", "\r", "\0", "\u0085", " ", "b,c"), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(parts, async (pieces) => {
        const reading = readText(`H,I\n${pieces.join("")}`);
        const failure = await reading.then(
          () => undefined,
          (error: unknown) => error,
        );
        // Text with many NUL characters is read as UTF-16 without a byte order mark.
        const allowed = [undefined, "source_unclosed_quote", ...(pieces.includes("\0") ? ["source_bad_encoding"] : [])];
        expect(allowed).toContain(failure instanceof Failure ? failure.code : failure);
      }),
      { numRuns: 120 },
    );
  });
});

async function readText(text: string, limits: Partial<ReadLimits> = {}): Promise<Reading> {
  const path = join(temporaryFolder(), "extract.csv");
  await writeFile(path, text);
  return read(source(path), { limits });
}

function writeCell(value: string, quoted: boolean): string {
  return quoted || /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

function lineEnds(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}
