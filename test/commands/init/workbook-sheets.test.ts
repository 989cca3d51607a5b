import { expect, test } from "vitest";
import { textRow, workbookBytes } from "../../read/workbook/raw-workbook.ts";
import { initOf } from "./init-scene.ts";

function sheet(rows: readonly (readonly string[])[]): string {
  return rows.map((cells, index) => textRow(index + 1, cells)).join("");
}

const ACCOUNTS = sheet([
  ["ACCOUNT_REF", "NAME", "POSTCODE"],
  ["00010001", "Ada Byron", "DE1 2GU"],
  ["00010002", "Cleo Baker", "DE1 3GU"],
]);
const CUSTOMERS = sheet([
  ["ACCOUNT_REF", "FIRST_NAME", "DATE_OF_BIRTH"],
  ["00010001", "Ada", "03/04/1980"],
  ["00010002", "Cleo", "05/06/1970"],
]);

test("init uses every visible sheet of a workbook (it used to read only the first)", async () => {
  const sheets = { Accounts: ACCOUNTS, Empty: "", Customers: CUSTOMERS, Old: CUSTOMERS };
  const book = await workbookBytes({ sheets, states: { Old: "hidden" } });
  const { result, mapping } = await initOf({ "book.xlsx": book });
  expect(result.sources.map(({ name, rows }) => [name, rows])).toEqual([
    ["accounts", 2],
    ["customers", 2],
  ]);
  expect(mapping).toMatch(/accounts: \{ files: ".*book\.xlsx#Accounts"/);
  expect(mapping).toMatch(/customers: \{ files: ".*book\.xlsx#Customers", parent: accounts, on: ACCOUNT_REF/);
});

test("init names no sheet if the workbook has only one", async () => {
  const book = await workbookBytes({ sheets: { Accounts: ACCOUNTS } });
  const { result } = await initOf({ "book.xlsx": book });
  expect(result.sources.map(({ files }) => files.map((file) => file.sheet))).toEqual([[undefined]]);
});

test("init refuses a workbook without a readable sheet, and names the problem of the first", async () => {
  const book = await workbookBytes({ sheets: { Notes: "", More: "" } });
  await expect(initOf({ "book.xlsx": book })).rejects.toMatchObject({
    code: "source_no_header",
    message: expect.stringContaining("book.xlsx#Notes"),
  });
});
