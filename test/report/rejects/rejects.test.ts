import { readdir } from "node:fs/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { csvRow, csvTable, missing, outcomeOf, recordsOf } from "../inputs.ts";
import { need, parseCsv, rejectScene } from "./reject-scene.ts";

const { folder, write, files, content } = rejectScene();

describe("rejects of one source", () => {
  const table = csvTable("accounts.csv", ["REF", "NAME", "PHONE"]);
  const records = recordsOf([
    csvRow(table, 2, ["00123", " Ann ", "+44 7700"]),
    csvRow(table, 3, ["00124", "Bob", ""]),
    csvRow(table, 5, ['0"5', "two\nlines", "=1+1"]),
  ]);

  it("keep each unnamed column in its place, because a mapping can rename columns by number", async () => {
    const columns = ["REF", "", "", "NAME"];
    const unnamed = {
      ...csvTable("unnamed.csv", columns),
      columnIndex: new Map([
        ["REF", 0],
        ["NAME", 3],
      ]),
    };
    const rows = recordsOf([csvRow(unnamed, 2, ["1", "", "", "Ann"]), csvRow(unnamed, 3, ["2", "", "", "Bob"])]);
    await write(
      rows,
      rows.map((record) => outcomeOf(record, [missing("x", record.row)])),
    );
    const [header, ...cells] = parseCsv(await content("rejects.csv"));
    expect(header?.slice(0, 5)).toEqual([...columns, "migrate_key"]);
    expect(cells.map((row) => row.slice(0, 5))).toEqual([
      ["1", "", "", "Ann", "K1"],
      ["2", "", "", "Bob", "K2"],
    ]);
  });

  it("are the original rows, unchanged, followed by columns with their errors", async () => {
    const [first, second, third] = records;
    await write(records, [
      outcomeOf(need(first), [
        missing("name", need(first).row),
        { ...missing("phone", need(first).row), attr: "phone" },
      ]),
      outcomeOf(need(second)),
      outcomeOf(
        need(third),
        [{ attr: "x", code: "odd", detail: "=cmd", severity: "error", by: "platform" }],
        "rejected",
      ),
    ]);
    expect(await files()).toEqual(["rejects.csv"]);
    expect(await content("rejects.csv")).toBe(
      `REF,NAME,PHONE,migrate_key,migrate_attr,migrate_code,migrate_detail
00123," Ann ",+44 7700,K1,name | phone,required | required,A value is required here. | A value is required here.
"0""5","two
lines",=1+1,K3,x,odd,"'=cmd"
`,
    );
  });

  it("name the column of each problem, not only its attr", async () => {
    const [first] = records;
    const place = { file: "accounts.csv", line: 2, column: "PHONE", columnNumber: 3 };
    await write(
      [need(first)],
      [outcomeOf(need(first), [{ ...missing("customers.0.mobile", need(first).row), place }])],
    );
    expect(parseCsv(await content("rejects.csv"))[1]?.[6]).toBe("PHONE: A value is required here.");
  });

  it("are read back unchanged by a CSV parser for any cells", async () => {
    const cells = fc.array(
      fc.oneof(fc.string(), fc.constantFrom("\r", "a\r", "\n", '"', " ", "'", "\u2028", "", "\t", "-1")),
      {
        minLength: 3,
        maxLength: 3,
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(cells, { minLength: 1, maxLength: 5 }), async (rows) => {
        const all = recordsOf(rows.map((row, at) => csvRow(table, at + 2, row)));
        await write(
          all,
          all.map((record) => outcomeOf(record, [missing("name", record.row)])),
        );
        const read = parseCsv(await content("rejects.csv"));
        expect(read.slice(1).map((row) => row.slice(0, 3))).toEqual(rows);
      }),
      { numRuns: 50 },
    );
  });

  it("keep a row ragged until it is corrected, even if a spreadsheet program adds the missing cells of short rows", async () => {
    const ragged = recordsOf([csvRow(table, 2, ["1", "Ann"]), csvRow(table, 3, ["2", "Bob", "07", "x"])]);
    await write(
      ragged,
      ragged.map((record) => outcomeOf(record, [missing("name", record.row)])),
    );
    expect(parseCsv(await content("rejects.csv")).map((row) => row.length)).toEqual([7, 8, 8]);
    expect((await content("rejects.csv")).split("\n").slice(1, 3)).toEqual([
      "1,Ann,,,K1,name,required,A value is required here.",
      "2,Bob,07,x,K2,name,required,A value is required here.",
    ]);
  });

  it("are the same after they are read again without corrections, including ragged rows", async () => {
    const first = recordsOf([
      csvRow(table, 2, ["1", "Ann", ""]),
      csvRow(table, 3, ["2"]),
      csvRow(table, 4, ["3", "a", "b", "c"]),
    ]);
    await write(
      first,
      first.map((record) => outcomeOf(record, [missing("name", record.row)])),
    );
    const before = await content("rejects.csv");
    const [header = [], ...rows] = parseCsv(before);
    const again = csvTable("rejects.csv", header);
    const second = recordsOf(rows.map((row, at) => csvRow(again, at + 2, row)));
    await write(
      second,
      second.map((record) => outcomeOf(record, [missing("name", record.row)])),
    );
    expect(await content("rejects.csv")).toBe(before);
  });

  it("combine files with different headers under all of their columns, in order of appearance", async () => {
    const other = csvTable("more.csv", ["PHONE", "EMAIL", "REF"]);
    const all = recordsOf([
      csvRow(table, 2, ["1", "Ann", "07"]),
      csvRow(other, 2, ["08", "b@example.com", "2"]),
      csvRow(other, 3, ["09", "too", "many", "cells"]),
      csvRow(table, 3, ["3", "Cy", "06"]),
    ]);
    const { rejects } = await write(
      all,
      all.map((record) => outcomeOf(record, [missing("name", record.row)])),
      { sources: ["accounts"] },
    );
    const rows = parseCsv(await content("rejects.csv")).map((row) => row.slice(0, 5));
    expect(rows).toEqual([
      ["REF", "NAME", "PHONE", "EMAIL", "migrate_key"],
      ["1", "Ann", "07", "", "K1"],
      ["2", "", "08", "b@example.com", "K2"],
      ["3", "Cy", "06", "", "K4"],
    ]);
    // The cells of a ragged row from a file with other columns would be below the wrong columns.
    expect(rejects.leftOut).toBe(1);
  });

  it("use the declared delimiter and mark the encoding, so that the same command can read the files", async () => {
    await write(
      records,
      records.map((record) => outcomeOf(record, [missing("name", record.row)])),
      {
        delimiter: ";",
        encoding: "windows-1252",
      },
    );
    expect(await content("rejects.csv")).toMatch(/^\uFEFFREF;NAME;PHONE;migrate_key;/);
  });

  it("are not written if no record needs correction, and the files of an earlier report are removed", async () => {
    await write(
      records,
      records.map((record) => outcomeOf(record, [missing("name", record.row)])),
    );
    expect(await files()).toEqual(["rejects.csv"]);
    await write(
      records,
      records.map((record) => outcomeOf(record)),
    );
    expect(await files()).toEqual([]);
  });

  it("are not written if the input has changed", async () => {
    const outcomes = records.map((record) => outcomeOf(record, [missing("name", record.row)]));
    const moved = recordsOf(records.map(({ row }) => ({ ...row, line: row.line + 1 })));
    await expect(write(moved, outcomes)).rejects.toMatchObject({ code: "source_changed" });
    await expect(write(records.slice(0, 2), outcomes)).rejects.toMatchObject({ code: "source_changed" });
    expect(await readdir(folder())).toEqual([]);
  });
});
