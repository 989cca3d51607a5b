import { copyFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { CORRECTION_COLUMNS } from "../../../src/read/corrections/corrections-file.ts";
import { findSetup, withSheets } from "../../../src/web/mapping/find-setup.ts";
import { rawWorkbook, textRow } from "../../read/workbook/raw-workbook.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

test("finds extracts, contracts and modules, but no files of this tool", async () => {
  const folder = temporaryFolder({
    "accounts.csv": "REF,NAME\n",
    "extracts/customers.json": "[]",
    "contract.yaml": "openapi: 3.1.0\n",
    "overlay.yaml": "overlay: 1.0.0\n",
    "migrate.yaml": "contract: contract.yaml\n",
    "corrections.csv": `${CORRECTION_COLUMNS.join()}\n`,
    "fixes/of-excel.csv": `\uFEFF${CORRECTION_COLUMNS.join()}\r\n`,
    "ready.json": '{"baseUrl":"https://127.0.0.1:1/v1/"}\n',
    "report/summary.json": "{}",
    "report/rejects.csv": "REF,NAME\n",
    "proof/proof.json": "{}",
    "proof/records.csv": "key\n",
    "functions.mjs": "export const clean = (value) => value;\n",
    "node_modules/a/index.js": "",
  });
  mkdirSync(`${folder}/.migrate`);
  const { sources, contracts, overlays, modules } = await findSetup(folder);
  expect(sources).toEqual(["accounts.csv", "extracts/customers.json"]);
  expect(contracts).toEqual(["contract.yaml"]);
  expect(modules).toEqual(["functions.mjs"]);
  expect(overlays[0]).toBe("overlay.yaml");
});

test("lists each visible sheet of a workbook with several sheets (it used to list only the workbook)", async () => {
  const rows = textRow(1, ["REF"]) + textRow(2, ["1"]);
  const sheets = { Accounts: rows, "Customer list": rows, Notes: rows };
  const book = await rawWorkbook({ sheets, states: { Notes: "hidden" } });
  const folder = temporaryFolder({ "broken.xlsx": "not a workbook" });
  copyFileSync(book, path.join(folder, "book.xlsx"));
  copyFileSync(await rawWorkbook({ sheets: { Accounts: rows } }), path.join(folder, "single.xlsx"));
  const { sources } = await findSetup(folder);
  expect(sources).toEqual(["book.xlsx", "broken.xlsx", "single.xlsx"]);
  expect(await withSheets(folder, sources)).toEqual([
    "book.xlsx#Accounts",
    "book.xlsx#Customer list",
    "broken.xlsx",
    "single.xlsx",
  ]);
});
