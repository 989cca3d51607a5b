import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../temporary-folder.ts";
import { Failure } from "../../../src/model/failure.ts";
import type { SourceSpec } from "../../../src/model/source-spec.ts";
import { isCsvRow } from "../../../src/model/record.ts";
import { cells, failureOf, fixture, problemsOf, read, type Reading, source } from "../reading.ts";

describe("unnamed columns", () => {
  it("are ignored with a notice if they are empty, and rows may omit them", async () => {
    const { records, notices } = await read(fixture("unnamed-empty-columns.csv"));
    expect(notices).toMatchObject([{ text: expect.stringContaining("columns 3, 5 and 6 of 6 have no name") }]);
    expect(records.map(({ row }) => cells(row))).toEqual([
      ["A1", "Ada", "", "SW1A 1AA", "", " "],
      ["A2", "Bea", "", "N1 9GU", "", ""],
      ["A3", "Cyd", "", "E1 6AN", "", ""],
      ["A4", "Dot"],
    ]);
    expect(problemsOf(records)).toEqual(["source_ragged_row@5"]);
  });

  it("end the run at their first cell with data, and suggest a rename", async () => {
    const failure = await failureOf(readText("REF,,NAME,\nA1,,Ada,\nA2,,Bea,x\n"));
    expect(failure).toMatchObject({ code: "source_bad_header", exitCode: 2, place: { line: 1 } });
    expect(failure.message).toContain("column 4 of 4 has no name in the header, but line 3 has data there");
    expect(failure.hint).toContain("rename: { 4: <name> }");
  });

  it("are read if the mapping renames them", async () => {
    const { records, notices } = await readText("REF,,NAME,\nA1,,Ada,x\n", new Map([[4, "NOTES"]]));
    expect(columnsOf(records)).toEqual(["REF", "", "NAME", "NOTES"]);
    expect(notices).toMatchObject([{ text: expect.stringContaining("column 2 of 4 has no name") }]);
  });

  it("are rejected if no column has a name", async () => {
    expect(await failureOf(readText(",,\n1,2,3\n"))).toMatchObject({
      code: "source_bad_header",
      message: expect.stringContaining("no column has a name"),
    });
  });
});

describe("rename of a source", () => {
  it.each([
    ["two columns with the same name", "REF,NAME,NAME\nA1,Ada,Byron\n"],
    ["a forbidden name", "REF,NAME,__proto__\nA1,Ada,Byron\n"],
    ["an invisible character in a name", "REF,NAME,SUR\u200bNAME\nA1,Ada,Byron\n"],
    ["a filler character in a name", "REF,NAME,SUR\u3164NAME\nA1,Ada,Byron\n"],
  ])("fixes %s, as the failure suggests", async (_, text) => {
    expect((await failureOf(readText(text))).hint).toContain("rename: { 3: <name> }");
    const { records } = await readText(text, new Map([[3, "SURNAME"]]));
    expect(columnsOf(records)).toEqual(["REF", "NAME", "SURNAME"]);
  });

  it("is rejected for a missing column and for JSON", async () => {
    expect(await failureOf(readText("REF,NAME\nA1,Ada\n", new Map([[3, "SURNAME"]])))).toMatchObject({
      code: "source_bad_header",
      message: expect.stringContaining("renames column 3, but there are only 2"),
    });
    expect(await failureOf(readText("REF\nA1\n", new Map([[2, "SURNAME"]])))).toMatchObject({
      message: expect.stringContaining("renames column 2, but there is only 1"),
    });
    const json = { ...fixture("one-object.json"), rename: new Map([[1, "REF"]]) };
    expect(await failureOf(read(json))).toMatchObject({ code: "mapping_invalid" });
  });
});

it("a quoted line break within a header becomes a space", async () => {
  const { records } = await read(fixture("header-with-line-ends.csv"));
  expect(columnsOf(records)).toEqual(["ACCOUNT_REF", "Account holder", "Post- code"]);
  expect(records.map(({ row }) => row.line)).toEqual([4]);
});

async function readText(text: string, rename?: SourceSpec["rename"]): Promise<Reading> {
  const path = join(temporaryFolder(), "extract.csv");
  await writeFile(path, text);
  return read({ ...source(path), ...(rename !== undefined && { rename }) });
}

function columnsOf([first]: Reading["records"]): readonly string[] {
  return first !== undefined && isCsvRow(first.row) ? first.row.table.columns : [];
}

it("reports a header that is probably a row of data, without its values", async () => {
  const { notices } = await readText("GB-1,Ada,01/04/2024\nGB-2,Bob,02/04/2024\n");
  expect(notices).toMatchObject([
    {
      text: "the first line is read as the header, but column 3 is a date; if the line is data, add a line with column names",
    },
  ]);
});

describe("a title above the header", () => {
  const TABLE = "REF;NAME;TOWN\n1;Ada;Ely\n2;Bea;Ely\n";
  const [title, nearly] = ["Customers", "Customers, 30.11.2026;;"];

  it.each([
    ["with the delimiter of the file", `${title};;\n;;\n${TABLE}`, 3],
    ["without any delimiter", `${title}\r\n\r\n${TABLE}`, 3],
    ["with another delimiter", `${nearly}\n${TABLE}`, 2],
    ["with a quoted line break", `"Customers\nof 2026";;\n${TABLE}`, 3],
  ])("%s causes a notice that names the line of the header", async (_, text, line) => {
    const expected = `the first line is probably a title, because line ${line} looks like the header; if so, delete the lines above line ${line}`;
    const shown: string[] = [];
    await readText(text).then(
      ({ notices }) => shown.push(...notices.map((notice) => notice.text)),
      (error: unknown) => shown.push(error instanceof Failure ? `${error.hint}` : ""),
    );
    expect(shown.join("\n")).toContain(expected);
  });

  it.each([
    ["a single column of text with commas", "NAME\nByron, Ada\nLovelace, Bea\n"],
    ["a header of one column", "REF\n1\n2\n"],
    ["rows without a header", "A1;1;01/02/2024\n"],
    ["names and cells with commas", "REF;NOTE\n1;Ada, Bea, Cyd\n2;none\n"],
    [
      "addresses with commas",
      "REF;ADDRESS\nA1;Mill House, High Street, Ely, Kent\nA2;Rose Cottage, Church Lane, Ely, Kent\n",
    ],
    ["text with semicolons", "REF\tNAME\t\nA1\tByron; Ada; Ms; X\t\nA2\tLovelace; Bea; Ms; X\t\n"],
    ["quoted addresses", 'ADDRESS,REF\n"Mill House, High Street, Ely",A1\n"Church Lane, Ely, Kent",A2\n'],
  ])("is not found in a file with %s", async (_, text) => {
    const { notices } = await readText(text);
    expect(notices.filter((notice) => notice.text.includes("title"))).toEqual([]);
  });
});

it.each(["~", "^", ":", "#"])("suggests the delimiter %s for a file with a single column", async (delimiter) => {
  const { notices } = await readText(["REF,NAME", "1,Ada", "2,Bea"].join("\n").replaceAll(",", delimiter));
  expect(notices).toMatchObject([
    {
      text: `has only one column; if "${delimiter}" separates its columns, use --delimiter "${delimiter}", which applies to all CSV files`,
    },
  ]);
});

it("suggests no delimiter that does not occur equally often in all rows", async () => {
  expect((await readText("TIME:ZONE\n12:30:00\n12:30\n")).notices).toEqual([]);
});
