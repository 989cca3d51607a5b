import { cpSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { projectFile, runCli } from "./cli.ts";
import { JOB_FLAGS, workFolder } from "./validate-scene.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const WORKBOOKS = projectFile("fixtures/read/workbooks");

describe("a workbook as a source", () => {
  test("gives the outcomes that the same rows in CSV files give, at the same rows and columns", async () => {
    const cwd = projectFile("fixtures/demo");
    const book = path.join(temporaryFolder(), "demo.xlsx");
    cpSync(path.join(WORKBOOKS, "demo-from-libreoffice.xlsx"), book);
    const names = ["accounts", "customers", "meter_points", "readings"];
    const sources = names.flatMap((name) => ["--source", `${name}=${book}#${name}`]);
    const fromCsv = await runCli(["validate", "--format", "ndjson"], { cwd });
    const fromWorkbook = await runCli(["validate", "--format", "ndjson", ...sources], { cwd });
    expect([fromCsv.code, fromWorkbook.code]).toEqual([1, 1]);
    const sheets = ["Accounts", "Customers", "Meter_points", "Readings"];
    const renamed = sheets.reduce(
      (text, sheet) => text.replaceAll(`${book}#${sheet}`, `${sheet.toLowerCase()}.csv`),
      fromWorkbook.stdout,
    );
    expect(renamed).toBe(fromCsv.stdout);
  });

  test("is named on the screen with its sheet, and says what its sheets are", async () => {
    const folder = workFolder({});
    cpSync(path.join(WORKBOOKS, "from-libreoffice.xlsx"), path.join(folder, "book.xlsx"));
    const run = await runCli(["validate", "book.xlsx#Kunden", ...JOB_FLAGS], { cwd: folder });
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain('book.xlsx: has no sheet "Kunden"');
    expect(run.stderr).toContain('its sheets are: "Accounts", "Customer list"');
  });

  test("is read from standard input, too", async () => {
    const folder = workFolder({});
    writeFileSync(
      path.join(folder, "mapping.yaml"),
      "key: number\nsources: { a: { sheet: Customer list } }\npayload: { number: CUST, name: CUST }\n",
    );
    const input = readFileSync(path.join(WORKBOOKS, "from-libreoffice.xlsx"));
    const run = await runCli(["validate", "-", ...JOB_FLAGS, "--format", "ndjson"], { cwd: folder, input });
    expect(run).toMatchObject({ code: 0 });
    expect(run.stdout).toContain('"key":"C-1","source":{"file":"-#Customer list","line":2}');
  });
});
