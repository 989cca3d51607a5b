import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cells, failureOf, firstCells, fixture, problemsOf, read, source } from "./reading.ts";
import { temporaryFolder } from "../temporary-folder.ts";

describe("the reader of extracts", () => {
  it("does not read a byte order mark as a part of the first column name", async () => {
    const { records } = await read(fixture("byte-order-mark.csv"));
    expect(records.map(({ row }) => [row.table, cells(row)])).toMatchObject([
      [{ columns: ["ACCOUNT_REF", "NAME"] }, ["A1", "Ada"]],
    ]);
  });

  it("keeps leading zeros and long ids unchanged", async () => {
    const { records } = await read(fixture("leading-zeros-and-long-ids.csv"));
    expect(records.map(({ row }) => cells(row))).toEqual([
      ["00123", "Ada", "12345678901234567890"],
      ["000", "Bea", "00000000000000000000"],
    ]);
  });

  it("reports the byte, the line and a fix for bytes that are not UTF-8, and reads them with a declared encoding", async () => {
    const failure = await failureOf(read(fixture("windows-1252-bytes.csv")));
    expect(failure).toMatchObject({ code: "source_bad_encoding", place: { line: 3 }, exitCode: 2 });
    expect(failure.message).toContain("byte 0x92");
    expect(failure.message).toContain("offset 28");
    expect(failure.hint).toContain("--encoding windows-1252");
    const { records } = await read(fixture("windows-1252-bytes.csv"), { encoding: "windows-1252" });
    expect(records.map(({ row }) => cells(row)[1])).toEqual(["Ada", "O\u2019Brien", "Caf\u00E9 \u20AC"]);
  });

  it("keeps a quoted newline in its record and counts the following lines correctly", async () => {
    const { records } = await read(fixture("quoted-newline.csv"));
    expect(records.map(({ row }) => row.line)).toEqual([2, 5, 6]);
    expect(firstCells(records)).toEqual(["A1", "first\nsecond\r\nthird"]);
    expect(problemsOf(records)).toEqual(["source_ragged_row@6"]);
  });

  it("reports an unclosed quote at the line that opened it", async () => {
    const failure = await failureOf(read(fixture("unclosed-quote.csv")));
    expect(failure).toMatchObject({ code: "source_unclosed_quote", place: { line: 3 }, exitCode: 2 });
  });

  it.each(["fine", '"quoted"'])("limits how much text it buffers after an unclosed quote (%s)", async (cell) => {
    const path = join(temporaryFolder(), "unclosed.csv");
    const file = await open(path, "w");
    await file.write(`REF,NOTE\nA1,fine\nA2,"open\n`);
    for (let part = 0; part < 100; part += 1) await file.write(`A3,${cell} and some more text\n`.repeat(10_000));
    await file.close();
    const before = process.memoryUsage();
    const failure = await failureOf(read(source(path)));
    const after = process.memoryUsage();
    expect(failure).toMatchObject({ code: "source_unclosed_quote", place: { line: 3 } });
    expect(after.heapUsed + after.external - before.heapUsed - before.external).toBeLessThan(30 * 2 ** 20);
  });

  it("reports a ragged row as a problem of that row", async () => {
    const { records } = await read(fixture("ragged-rows.csv"));
    expect(records).toHaveLength(5);
    expect(records.flatMap(({ problems }) => problems)).toMatchObject([
      { code: "source_ragged_row", found: 2, expected: 3, place: { line: 3 }, severity: "error" },
      { code: "source_ragged_row", found: 4, expected: 3, place: { line: 5 }, severity: "error" },
    ]);
  });

  it.each([
    ["duplicate-header.csv", 'columns 2 and 4 have the same name, "NAME"'],
    ["blank-headers.csv", "columns 2 and 4 of 4 have no name"],
    ["similar-headers.csv", 'columns 2 and 3 ("Name", " NAME ") are too similar'],
    ["forbidden-header.csv", 'column 2 has the forbidden name "__proto__"'],
  ])("rejects %s, and names the columns", async (name, message) => {
    const failure = await failureOf(read(fixture(name)));
    expect(failure).toMatchObject({ code: "source_bad_header", exitCode: 2, place: { line: 1 } });
    expect(failure.message).toContain(message);
  });

  it("reads empty cells as empty strings, and reports an empty key", async () => {
    const { records } = await read(fixture("empty-cells.csv"));
    expect(records.map(({ row }) => cells(row))).toEqual([
      ["A1", "", "07700900123"],
      ["", "Bea", ""],
    ]);
    const keyed = await read({ ...fixture("empty-cells.csv"), key: "ACCOUNT_REF" });
    expect(problemsOf(keyed.records)).toEqual(["source_missing_key@3:1"]);
  });

  it("does not report a missing key for a row that is not a record", async () => {
    const folder = temporaryFolder();
    const file = join(folder, "a.ndjson");
    await writeFile(file, '{"id":"1"}\n[1]\n{bad\n{"name":"no key"}\n');
    const { records } = await read({ name: "accounts", files: [file], key: "id", children: [] });
    expect(records.map(({ problems }) => problems.map(({ code }) => code))).toEqual([
      [],
      ["source_not_an_object"],
      ["source_invalid_json"],
      ["source_missing_key"],
    ]);
  });

  it("detects a delimiter other than the comma and reports it", async () => {
    const { records, notices } = await read(fixture("semicolons.csv"));
    expect(records.map(({ row }) => cells(row))).toEqual([
      ["A1", "Ada", "one; two, three"],
      ["A2", "Bea", "no"],
    ]);
    expect(notices).toEqual([{ file: fixture("semicolons.csv").files[0], text: 'the delimiter is ";": 3 columns' }]);
  });

  it("rejects an empty file and returns no record for a file with only a header", async () => {
    for (const name of ["empty.csv", "blank-lines-only.csv"]) {
      const failure = await failureOf(read(fixture(name)));
      expect(failure).toMatchObject({ code: "source_no_header", exitCode: 2 });
    }
    expect((await read(fixture("header-only.csv"))).records).toEqual([]);
  });
});
