import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cells, failureOf, FIXTURES, problemsOf, read, source } from "../reading.ts";
import { rawWorkbook, textRow } from "./raw-workbook.ts";

const LIBREOFFICE = join(FIXTURES, "workbooks/from-libreoffice.xlsx");

describe("a workbook written by LibreOffice", () => {
  it("returns the cells of the first sheet as text, with their row numbers", async () => {
    const { records } = await read(source(LIBREOFFICE));
    expect(records.map(({ row }) => [row.line, ...cells(row)])).toEqual([
      [
        2,
        "00000003",
        "Zoë O’Brien\nc/o Smith & Sons",
        "2020-04-03",
        "1999-12-31T23:59:30",
        "14:30:00",
        "1,234.50",
        "20%",
        "TRUE",
        "2469",
      ],
      [3, "00004", "Bea", "03/04/2020", "", "", "1200023305967", "", "FALSE", "=1+1"],
      [5, "00005", "Merged over two", "", "", "", "1.23", "", "", "#DIV/0!"],
      [6, "1234567890123460000", "0.1", "", "", "", "0.3", "", "", "#N/A"],
    ]);
  });

  it("reports cells with errors, with rounded numbers and with numbers that lost digits", async () => {
    const { records } = await read(source(LIBREOFFICE));
    expect(records.flatMap(({ problems }) => problems)).toMatchObject([
      { code: "source_rounded_number", severity: "warning", place: { line: 5, column: "BALANCE", columnNumber: 6 } },
      { code: "source_bad_cell", reason: "error_value", shown: "#DIV/0!", place: { line: 5, column: "TOTAL" } },
      { code: "source_unsafe_number", severity: "error", place: { line: 6, column: "REF" } },
      { code: "source_bad_cell", reason: "error_value", shown: "#N/A", place: { line: 6, column: "TOTAL" } },
    ]);
  });

  it("gives notices about the sheet that is read, hidden rows and merged cells", async () => {
    const { records, notices } = await read(source(LIBREOFFICE));
    expect(records[0]?.row.table.file).toBe(`${LIBREOFFICE}#Accounts`);
    expect(notices.map(({ text }) => text)).toEqual([
      expect.stringMatching(
        /^reads the sheet "Accounts", not "Customer list"; to read another sheet, use ".*#Customer list"/,
      ),
      "also reads 1 hidden row",
      "1 range of merged cells: only the first cell of the range has a value",
    ]);
  });

  it.each(["Customer list", "CUSTOMER LIST"])("reads the sheet whose name follows the #: %s", async (name) => {
    const { records, notices } = await read(source(`${LIBREOFFICE}#${name}`));
    expect(records.map(({ row }) => [row.table.file, row.line, ...cells(row)])).toEqual([
      [`${LIBREOFFICE}#Customer list`, 2, "C-1"],
    ]);
    expect(notices).toEqual([]);
  });

  it("gives a notice about the totals row of a table", async () => {
    const rels =
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" ' +
      'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/table" Target="../tables/table1.xml"/>' +
      "</Relationships>";
    const parts = { "xl/worksheets/_rels/sheet1.xml.rels": rels, "xl/tables/table1.xml": '<table ref="A1:A3"/>' };
    const sheets = { S: textRow(1, ["A"]) + textRow(2, ["1"]) + textRow(3, ["Total"]) };
    expect((await read(source(await rawWorkbook({ sheets, parts })))).notices).toEqual([]);
    parts["xl/tables/table1.xml"] = '<table ref="A1:A3" totalsRowCount="1"/>';
    const { records, notices } = await read(source(await rawWorkbook({ sheets, parts })));
    expect(records.map(({ row }) => cells(row))).toEqual([["1"], ["Total"]]);
    expect(notices.map(({ text }) => text)).toEqual([
      "row 3 contains the totals of a table; delete it, because it is read like any other row",
    ]);
  });

  it("reports a repeated header, which used to be sent as a record", async () => {
    const sheets = { S: textRow(1, ["A", "B"]) + textRow(2, ["1", "2"]) + textRow(4, ["A", "B"]) + textRow(5, ["A"]) };
    expect(problemsOf((await read(source(await rawWorkbook({ sheets })))).records)).toEqual([
      "source_repeated_header@4",
    ]);
  });

  it("reads the sheet that the mapping names for the source", async () => {
    const { records } = await read({ ...source(LIBREOFFICE), sheet: "Customer list" });
    expect(records.map(({ row }) => cells(row))).toEqual([["C-1"]]);
  });

  it("can combine two sheets in one source, but rejects the same sheet twice", async () => {
    const both = [`${LIBREOFFICE}#Accounts`, `${LIBREOFFICE}#Customer list`];
    expect((await read({ ...source(""), files: both })).records).toHaveLength(5);
    const twice = [`${LIBREOFFICE}#Accounts`, `${LIBREOFFICE}#accounts`];
    expect(await failureOf(read({ ...source(""), files: twice }))).toMatchObject({ code: "usage" });
  });

  it("lists the sheets if the named sheet is missing", async () => {
    const failure = await failureOf(read(source(`${LIBREOFFICE}#Kunden`)));
    expect(failure).toMatchObject({ code: "usage", hint: 'its sheets are: "Accounts", "Customer list"' });
  });
});

describe("cells:", () => {
  it.each([
    ["General", "12345678901234", "12345678901234"],
    ["General", "0.1", "0.1"],
    ["General", "0.30000000000000004", "0.3"],
    ["General", "1.5E-7", "0.00000015"],
    ["General", "-1E+3", "-1000"],
    ["0", "7700900123", "7700900123"],
    ["00000", "42", "00042"],
    ["0.00", "0.30000000000000004", "0.30"],
    ["#,##0.00;(#,##0.00)", "-1234.5", "(1,234.50)"],
    ["0.00;[Red]0.00", "-5", "-5.00"],
    ["#,##0 [$€-407]", "1234", "1,234 €"],
    ["[$-407]#,##0.00", "1234.5", "1,234.50"],
    ["[$CHF-807] #,##0.00", "1234.5", "CHF 1,234.50"],
    ["[$-407][h]:mm", "1.5", "36:00"],
    ["[$-407]d. mmmm yyyy", "43924", "2020-04-03"],
    ["0%;[Red]0%", "-0.2", "-20%"],
    ['0.00" CR";0.00" DR"', "-5", "5.00 DR"],
    ["0.00E+00", "1200023305967", "1200023305967"],
    [";;;", "42", "42"],
    ['"+44 "0', "7700900123", "+44 7700900123"],
    ["[h]:mm", "1.5", "36:00"],
    ["dd/mm/yyyy", "43924", "2020-04-03"],
    [14, "43924", "2020-04-03"],
    ["mmm yy", "43924.75", "2020-04-03"],
    ["dd/mm/yyyy hh:mm", "43924.75", "2020-04-03T18:00:00"],
    [22, "43924.999999999", "2020-04-04T00:00:00"],
    ["hh:mm AM/PM", "0.75", "18:00:00"],
    ["mm:ss", "0.0625", "01:30:00"],
    [47, "0.0625", "01:30:00"],
    ["mm", "43924", "2020-04-03"],
    ['[=0]"-";dd/mm/yyyy', "43924", "2020-04-03"],
    ['[=0]"-";dd/mm/yyyy hh:mm;@', "43924.75", "2020-04-03T18:00:00"],
    ["dd/mm/yyyy", "2958465", "9999-12-31"],
    ["dd/mm/yyyy", "61", "1900-03-01"],
    ['General" x"', "5", "5"],
    ["constructor", "5", "5"],
    ['"unclosed', "5", "5"],
    ['_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-;_-@_-', "-1234.5", "-1,234.50"],
    ['_-* #,##0.00_-;-* #,##0.00_-;_-* "-"??_-;_-@_-', "0", "-"],
    ["0;@", "-3", "-3"],
    ["0%;-0.0%", "-0.255", "-25.5%"],
    ["[>9]0.0;[>5]0", "3", "3"],
    ["0;General", "-1.234567890123", "-1.234567890123"],
    ["#,##0.0000", "12345678901234", "12345678901234"],
    ["0.00000000", "0.00000015", "0.00000015"],
    [49, "5", "5"],
  ])("the format %s and the stored number %s are read as %s", async (format, stored, shown) => {
    expect(await cellOf(`<c s="1"><v>${stored}</v></c>`, { formats: [format] })).toEqual([shown]);
  });

  it.each([
    ["0", "12.5", "13", "source_rounded_number"],
    ["0.00", "12.345", "12.35", "source_rounded_number"],
    ["#,##0,", "1234567", "1,235", "source_rounded_number"],
    ["0.00;[Red]0.00", "-0.001", "0.00", "source_rounded_number"],
    ["0.00;-0", "-1.25", "-1", "source_rounded_number"],
    ["0.00;(0.00)", "-0.001", "(0.00)", "source_rounded_number"],
    ["[>=100]0;0.00", "150.25", "150", "source_rounded_number"],
    ["#,##0,;-#,##0,", "-1500", "-2", "source_rounded_number"],
    ["0%;-0.0%", "0.255", "26%", "source_rounded_number"],
    ["0", "600000000.5", "600000001", "source_rounded_number"],
    ["#,##0", "987654321.49", "987,654,321", "source_rounded_number"],
    ["0.000", "1234567.8916", "1234567.892", "source_rounded_number"],
    ["0.0", "123456789012.25", "123456789012.3", "source_rounded_number"],
    ["0.00", "-1.005", "-1.01", "source_rounded_number"],
    ["0%", "0.285", "29%", "source_rounded_number"],
    ["0.0%", "-916.2855", "-91628.6%", "source_rounded_number"],
    ["[>=100]0.00;0", "99.6", "100", "source_rounded_number"],
    ["# ?/?", "999999.995", "1000000", "source_rounded_number"],
    ["# ??/??", "-1.9999", "-2", "source_rounded_number"],
    ["# ?/?", "2.5", "2 1/2", "source_rounded_number"],
    ["General", "1000000000000000", "1000000000000000", "source_unsafe_number"],
    ["dd/mm/yyyy", "60", "60", "source_bad_cell"],
    ["dd/mm/yyyy", "-1", "-1", "source_bad_cell"],
    ["dd/mm/yyyy", "2958466", "2958466", "source_bad_cell"],
  ])("the format %s and the stored number %s are read as %s and reported: %s", async (format, stored, shown, code) => {
    expect(await cellOf(`<c s="1"><v>${stored}</v></c>`, { formats: [format] })).toEqual([shown, code]);
  });

  it.each([
    ['<c t="b"><v>1</v></c>', "TRUE"],
    ['<c t="b"><v>0</v></c>', "FALSE"],
    ['<c t="str"><f>A1</f><v>007</v></c>', "007"],
    ['<c t="str"><f>A1</f><v></v></c>', ""],
    ["<c><f>1+1</f><v>2</v></c>", "2"],
    ['<c t="s"><v>1</v></c>', "Zoë & Co"],
    ['<c t="s"><v>0</v></c>', " spaced "],
    ['<c t="inlineStr"><is><r><t>a</t></r><r><rPr/><t>b</t></r><rPh sb="0" eb="1"><t>no</t></rPh></is></c>', "ab"],
    ['<c t="inlineStr"><is><t>a_x000D__x005F_x000D_<![CDATA[<]]></t></is></c>', "a\r_x000D_<"],
    ['<c t="d" s="1"><v>2020-04-03T00:00:00</v></c>', "2020-04-03"],
    ['<c t="d"><v>2020-04-03T10:00:00Z</v></c>', "2020-04-03T10:00:00Z"],
    ["<c><v/></c>", ""],
    ["<c/>", ""],
  ])("%s is read as %j", async (cell, text) => {
    const strings = '<si><t xml:space="preserve"> spaced </t></si><si><r><t>Zoë </t></r><r><t>&amp; Co</t></r></si>';
    expect(await cellOf(cell, { strings, formats: ["dd/mm/yyyy"] })).toEqual([text]);
  });

  it.each([
    ["dd/mm/yyyy", "2020-04-03T00:00", "2020-04-03"],
    ["dd/mm/yyyy hh:mm", "2020-04-03", "2020-04-03T00:00:00"],
    ["hh:mm:ss", "T14:30:00", "14:30:00"],
    ["hh:mm", "1899-12-31T14:30:00.4", "14:30:00"],
    ["dd/mm/yyyy hh:mm", "2020-04-03T23:59:59.999", "2020-04-03T23:59:59"],
    ["dd/mm/yyyy hh:mm", "2020-04-03T14:30:00+02:00", "2020-04-03T14:30:00+02:00"],
    ["dd/mm/yyyy", "T14:30:00", "T14:30:00", "source_bad_cell"],
    ["dd/mm/yyyy", "2020-13-45T00:00:00", "2020-13-45T00:00:00", "source_bad_cell"],
    ["dd/mm/yyyy", "2019-02-29", "2019-02-29", "source_bad_cell"],
    ["hh:mm", "2020-04-03T24:30:00", "2020-04-03T24:30:00", "source_bad_cell"],
    ["dd/mm/yyyy", "1900-02-28", "1900-02-28", "source_bad_cell"],
  ])("the format %s and the date %s, stored as text, are read as %s", async (format, stored, ...shown) => {
    expect(await cellOf(`<c t="d" s="1"><v>${stored}</v></c>`, { formats: [format] })).toEqual(shown);
  });

  it("a cell with an error, or with a formula without a value, is reported", async () => {
    expect(await cellOf('<c t="e"><v>#REF!</v></c>')).toEqual(["#REF!", "source_bad_cell"]);
    expect(await cellOf("<c><f>1+1</f></c>")).toEqual(["", "source_bad_cell"]);
    expect(await cellOf("<c><f>1+1</f><v/></c>")).toEqual(["", "source_bad_cell"]);
  });

  it("control characters are reported as in CSV files", async () => {
    expect(await cellOf('<c t="inlineStr"><is><t>a_x0000_</t></is></c>')).toEqual(["a\0", "source_control_character"]);
  });

  it("dates count from 1904 if the workbook declares this", async () => {
    const cell = '<c s="1"><v>42462</v></c>';
    expect(await cellOf(cell, { formats: ["dd/mm/yyyy"], from1904: true })).toEqual(["2020-04-03"]);
  });

  it("dates count from 1904 even if Excel adds a second `workbookPr` element", async () => {
    const path = await rawWorkbook({
      sheets: { S: textRow(1, ["A"]) + '<row r="2"><c s="1"><v>42462</v></c></row>' },
      formats: ["dd/mm/yyyy"],
      from1904: true,
      extension: '<extLst><ext><x15:workbookPr chartTrackingRefBase="1"/></ext></extLst>',
    });
    const { records } = await read(source(path));
    expect(records.map(({ row }) => cells(row))).toEqual([["2020-04-03"]]);
  });

  it.each(["dd/mm/yyyy", 19])("the format %s is not replaced by the format of a conditional style", async (format) => {
    const id = typeof format === "number" ? format : 200;
    const conditional = `<dxfs><dxf><numFmt numFmtId="${id}" formatCode="0%"/></dxf></dxfs>`;
    const text = await cellOf('<c s="1"><v>43924.5</v></c>', { formats: [format], conditional });
    expect(text).toEqual([typeof format === "number" ? "12:00:00" : "2020-04-03"]);
  });

  it.each(['<c t="s"><v>7</v></c>', '<c t="s"><v>x</v></c>', "<c><v>twelve</v></c>"])(
    "%s is reported as corrupt",
    async (cell) => {
      expect(await failureOf(cellOf(cell))).toMatchObject({ code: "source_damaged", exitCode: 2 });
    },
  );
});

describe("rows", () => {
  it("start after the header, which is the first row that is not blank, and blank rows are skipped", async () => {
    const sheet =
      textRow(2, ["", " "]) + textRow(3, ["REF", "NAME"]) + '<row r="4"><c s="0"/></row>' + textRow(9, ["A1"]);
    const { records } = await read(source(await rawWorkbook({ sheets: { S: sheet } })));
    expect(records.map(({ row }) => [row.line, ...cells(row)])).toEqual([[9, "A1", ""]]);
    expect(records[0]?.row.table.file).toMatch(/book\.xlsx$/);
  });

  it("may omit cells, and the numbers of rows and cells", async () => {
    const sheet =
      '<row><c t="str"><v>A</v></c><c t="str"><v>B</v></c><c r="D1" t="str"><v>D</v></c><c t="str"><v>E</v></c></row>' +
      '<row><c r="E2"><v>5</v></c></row>';
    const path = await rawWorkbook({ sheets: { S: sheet } });
    const { records, notices } = await read(source(path));
    expect(records.map(({ row }) => [row.line, ...cells(row)])).toEqual([[2, "", "", "", "", "5"]]);
    expect(notices.map(({ text }) => text)).toEqual([
      "column 3 of 5 has no name in the header, so its cells must be empty",
    ]);
  });

  it("are ragged if they have a cell beyond the header", async () => {
    const sheet = textRow(1, ["A", "B"]) + textRow(2, ["1", "2", "", "4"]);
    const { records } = await read(source(await rawWorkbook({ sheets: { S: sheet } })));
    expect(problemsOf(records)).toEqual(["source_ragged_row@2"]);
    expect(records[0]?.problems).toMatchObject([{ found: 4, expected: 2 }]);
  });

  it("are rejected, with their number, if the sheet has no header or an invalid header", async () => {
    for (const [sheet, code, text] of [
      ["", "source_no_header", "book.xlsx:1: the sheet is empty"],
      [textRow(3, ["A", "B", "A"]), "source_bad_header", "book.xlsx:3: columns 1 and 3 have the same name"],
      ['<row><c t="e"><v>#N/A</v></c></row>', "source_bad_header", "the name of column 1 is a formula"],
    ] as const) {
      const failure = await failureOf(read(source(await rawWorkbook({ sheets: { S: sheet } }))));
      expect(failure.code).toBe(code);
      expect(failure.message).toContain(text);
    }
  });

  it("get the name of an unnamed column from the mapping", async () => {
    const sheet = textRow(1, ["A", ""]) + textRow(2, ["1", "2"]);
    const path = await rawWorkbook({ sheets: { S: sheet } });
    expect(problemsOf((await read(source(path))).records)).toEqual(["source_ragged_row@2"]);
    const { records } = await read({ ...source(path), rename: new Map([[2, "NOTES"]]) });
    expect(records.map(({ row }) => cells(row))).toEqual([["1", "2"]]);
  });

  it("of a hidden sheet are read only if the sheet is named", async () => {
    const sheets = { Codes: textRow(1, ["C"]), Data: textRow(1, ["D"]) + textRow(2, ["1"]) };
    const path = await rawWorkbook({ sheets, states: { Codes: "veryHidden" } });
    const { records, notices } = await read(source(path));
    expect(records.map(({ row }) => row.table.file)).toEqual([`${path}#Data`]);
    expect(notices[0]?.text).toContain('not "Codes" (hidden)');
    expect((await read(source(`${path}#Codes`))).records).toEqual([]);
  });

  it("of the strict OOXML format with namespace prefixes are read", async () => {
    const strict = "http://purl.oclc.org/ooxml/spreadsheetml/main";
    const row = '<x:row r="1"><x:c t="inlineStr"><x:is><x:t>A</x:t></x:is></x:c></x:row>';
    const data = '<x:row r="2"><x:c><x:v>1</x:v></x:c></x:row>';
    const sheet = `<x:worksheet xmlns:x="${strict}"><x:sheetData>${row}${data}</x:sheetData></x:worksheet>`;
    const rels =
      '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" ' +
      'Type="http://purl.oclc.org/ooxml/officeDocument/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>';
    const parts = { "xl/worksheets/sheet1.xml": sheet, "xl/_rels/workbook.xml.rels": rels };
    const { records } = await read(source(await rawWorkbook({ sheets: { S: "" }, parts })));
    expect(records.map(({ row: found }) => cells(found))).toEqual([["1"]]);
  });
});

/** Returns the text of the cell and the code of its problem. */
async function cellOf(
  cell: string,
  workbook: Omit<Parameters<typeof rawWorkbook>[0], "sheets"> = {},
): Promise<readonly [string | undefined, ...string[]]> {
  const sheet = `${textRow(1, ["A", "B"])}<row r="2">${cell}<c t="inlineStr"><is><t>x</t></is></c></row>`;
  const { records } = await read(source(await rawWorkbook({ sheets: { S: sheet }, ...workbook })));
  const [record] = records;
  return [record && cells(record.row)[0], ...(record?.problems ?? []).map(({ code }) => code)];
}

it("a title above the header of a sheet causes a notice that names the row of the header", async () => {
  const rows = [["Accounts of 2026"], ["REF", "NAME", "TOWN"], ["1", "Ada", "Ely"]];
  const path = await rawWorkbook({ sheets: { S: rows.map((texts, index) => textRow(2 * index + 1, texts)).join("") } });
  const { notices } = await read(source(path));
  expect(notices.map(({ text }) => text)).toContain(
    "the first line is probably a title, because line 3 looks like the header; if so, delete the lines above line 3",
  );
});
