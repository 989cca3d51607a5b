import { access, readdir } from "node:fs/promises";
import path from "node:path";
import { buffer } from "node:stream/consumers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openPromise } from "yauzl";
import type { Problem } from "../../../src/model/problem.ts";
import { isCsvRow, type Row } from "../../../src/model/record.ts";
import { failureOf, read, source } from "../../read/reading.ts";
import { csvRow, csvTable, jsonRow, missing, orphan, outcomeOf, recordsOf } from "../inputs.ts";
import { need, rejectScene } from "../rejects/reject-scene.ts";

const { folder, write, files } = rejectScene();
const table = csvTable("accounts.csv", ["REF", "NAME", "KIND"]);
const workbook = { choices: new Map() };

/** Returns the parts of the workbook, by name. */
async function parts(): Promise<ReadonlyMap<string, string>> {
  const zip = await openPromise(path.join(folder(), "rejects.xlsx"), { lazyEntries: true, autoClose: false });
  const found = new Map<string, string>();
  for await (const entry of zip.eachEntry()) {
    found.set(entry.fileName, (await buffer(await zip.openReadStreamPromise(entry))).toString());
  }
  zip.close();
  return found;
}

/** Returns the rows of a sheet, as read by the source reader. */
async function rowsOf(sheet: string): Promise<readonly (readonly string[])[]> {
  const { records } = await read(source(`${path.join(folder(), "rejects.xlsx")}#${sheet}`));
  return records.map(({ row }) => cellsOf(row));
}

function cellsOf(row: Row): readonly string[] {
  return isCsvRow(row) ? row.cells : [];
}

describe("rejects.xlsx", () => {
  const records = recordsOf([csvRow(table, 2, ["00123", "=1+1", "X"]), csvRow(table, 3, ["00124", "Bob", "D"])]);
  const [first, second] = records.map(({ row }) => row);

  it("is written only on request, and an older workbook is removed", async () => {
    const outcomes = [outcomeOf(need(records[0]), [missing("name", need(first))]), outcomeOf(need(records[1]))];
    await write(records, outcomes, { workbook });
    expect(await files()).toEqual(["rejects.csv", "rejects.xlsx"]);
    await write(records, outcomes);
    expect(await files()).toEqual(["rejects.csv"]);
  });

  it("contains the rows with their errors and origins", async () => {
    const problems = [missing("name", need(first), "NAME"), missing("kind", need(first), "KIND")];
    await write(records, [outcomeOf(need(records[0]), problems), outcomeOf(need(records[1]))], { workbook });
    expect(await rowsOf("accounts")).toEqual([
      [
        "00123",
        "=1+1",
        "X",
        "K1",
        "name | kind",
        "required | required",
        "A value is required here. | A value is required here.",
        "accounts.csv:2",
      ],
    ]);
    const [cause, other] = await rowsOf("Causes");
    expect(cause?.slice(0, 5)).toEqual(["1", "error", "required", "name", "A value is required here."]);
    expect(cause?.slice(5)).toEqual([expect.stringMatching(/^Fill in the cell/), "", "accounts.csv:2, column NAME"]);
    expect(other?.slice(0, 4)).toEqual(["1", "error", "required", "kind"]);
  });

  it("contains no formulas or numbers in the sheets with rows, because all cells have the format Text", async () => {
    await write(records, [outcomeOf(need(records[0]), [missing("name", need(first))])], { workbook });
    const all = await parts();
    const sheet = need(all.get("xl/worksheets/sheet1.xml"));
    expect(sheet).not.toMatch(/<f[ >]|<v>/);
    const used = new Set([...sheet.matchAll(/<c r="\w+" s="(\d+)"/g)].map(([, style]) => Number(style)));
    const formats = [
      ...need(all.get("xl/styles.xml"))
        .split("<cellXfs")[1]!
        .matchAll(/numFmtId="(\d+)"/g),
    ];
    expect([...used].map((style) => formats[style]?.[1])).toEqual([...used].map(() => "49"));
  });

  it("marks invalid cells with comments that say what is wrong and what to do", async () => {
    const warning: Problem = { ...missing("kind", need(first), "KIND"), severity: "warning" };
    const problems = [missing("name", need(first), "NAME"), missing("alias", need(first), "NAME"), warning];
    await write(records, [outcomeOf(need(records[0]), problems), outcomeOf(need(records[1]))], { workbook });
    const all = await parts();
    const sheet = need(all.get("xl/worksheets/sheet1.xml"));
    expect(sheet).toMatch(/<c r="A2" s="1" .*<c r="B2" s="2" .*<c r="C2" s="3" /);
    const comments = need(all.get("xl/comments1.xml"));
    expect(comments.match(/ref="\w+"/g)).toEqual(['ref="B2"', 'ref="C2"']);
    expect(comments).toContain("required\nA value is required here.\nFill in the cell.");
    expect(need(all.get("xl/drawings/vmlDrawing1.vml"))).toContain("<x:Row>1</x:Row><x:Column>1</x:Column>");
  });

  it("offers a list of choices if the values of a column are known", async () => {
    const choices = new Map([["accounts", new Map([["KIND", ["D", "B"]]])]]);
    const outcomes = records.map((record) => outcomeOf(record, [missing("kind", record.row, "KIND")]));
    await write(records, outcomes, { workbook: { choices } });
    expect(need((await parts()).get("xl/worksheets/sheet1.xml"))).toMatch(
      /type="list"[^>]* sqref="C2:C3"><formula1>'Allowed values'!\$A\$2:\$A\$3<\/formula1>/,
    );
    expect(await rowsOf("Allowed values")).toEqual([["D"], ["B"]]);
  });

  it("has one sheet per source, with names that spreadsheet programs accept, and omits JSON rows", async () => {
    const child = csvTable("customers.csv", ["REF", "FIRST"]);
    const all = [
      ...records,
      orphan(3, "Causes", csvRow(child, 2, ["9", "Ann"])),
      orphan(4, "a/b: [very] long name of a source?", csvRow(child, 3, ["9", "Bea"])),
      orphan(5, "parts", jsonRow("parts.json", 1, "/0", { a: 1 })),
      orphan(6, "'names of the customers of Ann's", csvRow(child, 4, ["9", "Cat"])),
      orphan(7, `${"e".repeat(30)}\u{1f600} and more`, csvRow(child, 5, ["9", "Dan"])),
    ];
    const outcomes = all.map((record) => outcomeOf(record, [missing("x", record.row)]));
    await write(all, outcomes, {
      workbook,
      sources: [
        "accounts",
        "Causes",
        "a/b: [very] long name of a source?",
        "parts",
        "'names of the customers of Ann's",
        `${"e".repeat(30)}\u{1f600} and more`,
      ],
    });
    const names = [...need((await parts()).get("xl/workbook.xml")).matchAll(/<sheet name="([^"]*)"/g)];
    expect(names.map(([, name]) => name)).toEqual([
      "accounts",
      "Causes~2",
      "a_b_ _very_ long name of a sour",
      "_names of the customers of Ann_",
      "e".repeat(30),
      "Causes",
    ]);
  });

  it("keeps a ragged row ragged until it is corrected", async () => {
    const rows = recordsOf([
      csvRow(table, 2, ["1", "2"]),
      csvRow(table, 3, ["1", "2", "3", "4"]),
      csvRow(table, 4, ["1"]),
    ]);
    await write(
      rows,
      rows.map((record) => outcomeOf(record, [missing("x", record.row)])),
      { workbook },
    );
    const { records: back } = await read(source(`${path.join(folder(), "rejects.xlsx")}#accounts`));
    expect(back.map(({ problems }) => problems.map(({ code }) => code))).toEqual([
      ["source_ragged_row"],
      ["source_ragged_row"],
      ["source_ragged_row"],
    ]);
    expect(back.map(({ row }) => cellsOf(row).at(-1))).toEqual([
      "The row had 2 cells, but the header has 3. Correct the row, then clear this cell.",
      "4",
      "The row had 1 cell, but the header has 3. Correct the row, then clear this cell.",
    ]);
  });

  it("keeps the places in the extract when rejects are rejected again (the places used to name the re-imported file)", async () => {
    const again = csvTable("rejects.xlsx#accounts", ["REF", "NAME", "KIND", "migrate_place"]);
    const cells = [
      ["1", "", "X", "accounts.csv:7"],
      ["2", "", "X", ""],
    ];
    const rows = recordsOf(cells.map((row, index) => csvRow(again, index + 2, row)));
    const outcomes = rows.map((record) => outcomeOf(record, [missing("name", record.row, "NAME")]));
    await write(rows, outcomes, { workbook });
    expect((await rowsOf("accounts")).map((row) => row.at(-1))).toEqual(["accounts.csv:7", "rejects.xlsx#accounts:3"]);
  });

  it("is not written if a cell is too long for a spreadsheet, and the reason is given", async () => {
    const rows = recordsOf([csvRow(table, 7, ["1", "x".repeat(32_768), ""])]);
    const { rejects } = await write(rows, [outcomeOf(need(rows[0]), [missing("x", need(rows[0]).row)])], { workbook });
    expect(rejects.workbook).toEqual({ sheets: {}, leftOut: "accounts.csv:7 does not fit into a sheet" });
    expect(await files()).toEqual(["rejects.csv"]);
    await expect(access(path.join(folder(), "rejects.xlsx"))).rejects.toThrow("ENOENT");
  });

  it("returns the text of any cell unchanged", async () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "=1+1",
        "+44",
        "@x",
        "'007",
        "_x0041_",
        "_x005F_",
        "\u0000",
        "\r\n",
        " a ",
        '<&">',
        "1e5",
        "\u{1F600}",
        "\uFFFE",
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 4 }), async (pairs) => {
        const rows = recordsOf(pairs.map(([one, other], at) => csvRow(table, at + 2, ["K", one, other])));
        const outcomes = rows.map((record) => outcomeOf(record, [missing("x", record.row)]));
        await write(rows, outcomes, { workbook });
        expect((await rowsOf("accounts")).map((cells) => cells.slice(0, 3))).toEqual(
          pairs.map(([one, other]) => ["K", one, other]),
        );
      }),
      { numRuns: 60 },
    );
  });

  it("is written next to the other files of the report, without temporary files", async () => {
    await write(records, [outcomeOf(need(records[0]), [missing("name", need(second))])], { workbook });
    expect((await readdir(folder())).toSorted()).toEqual([
      "errors.csv",
      "outcomes.ndjson",
      "rejects.csv",
      "rejects.xlsx",
      "report.html",
      "summary.json",
    ]);
  });

  it("is refused as a source if it does not contain the sheet", async () => {
    await write(records, [outcomeOf(need(records[0]), [missing("name", need(first))])], { workbook });
    expect(await failureOf(read(source(`${path.join(folder(), "rejects.xlsx")}#none`)))).toMatchObject({
      code: "usage",
    });
  });
});
