import { cpSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { type CliEnd, projectFile, runCli } from "./cli.ts";
import { JOB_FLAGS, workFolder } from "./validate-scene.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const WORKBOOKS = projectFile("fixtures/read/workbooks");

describe("a workbook as a source", () => {
  test("has the same outcomes as CSV files with the same rows, at the same lines and columns", async () => {
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

  test("is refused with a list of its sheets if the requested sheet does not exist", async () => {
    const folder = workFolder({});
    cpSync(path.join(WORKBOOKS, "from-libreoffice.xlsx"), path.join(folder, "book.xlsx"));
    const run = await runCli(["validate", "book.xlsx#Kunden", ...JOB_FLAGS], { cwd: folder });
    expect(run).toMatchObject({ code: 2, stdout: "" });
    expect(run.stderr).toContain('book.xlsx: has no sheet "Kunden"');
    expect(run.stderr).toContain('its sheets are: "Accounts", "Customer list"');
  });

  test("can be read from standard input", async () => {
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

describe("--format xlsx", () => {
  test("writes the rejects as a workbook that can be read as a source, and writes text to stdout", async () => {
    const cwd = projectFile("fixtures/demo");
    const out = temporaryFolder();
    const text = await runCli(["validate"], { cwd });
    const run = await runCli(["validate", "--format", "xlsx", "--out", out], { cwd });
    expect(run).toMatchObject({ code: 1, stdout: text.stdout });
    const names = ["accounts", "customers", "meter_points", "readings"];
    const from = (file: (name: string) => string): Promise<CliEnd> =>
      runCli(["validate", "--format", "json", ...names.flatMap((name) => ["--source", `${name}=${file(name)}`])], {
        cwd,
      });
    const workbook = path.join(out, "rejects.xlsx");
    const sheets = await from((name) => `${workbook}#${name}`);
    const files = await from((name) => path.join(out, name === "accounts" ? "rejects.csv" : `rejects.${name}.csv`));
    expect(summaryIn(sheets)).toEqual(summaryIn(files));
    expect(summaryIn(sheets)).toMatchObject({ records: 19, invalid: 19 });
  });

  test("requires a folder for validate, and refuses to overwrite its own input", async () => {
    const cwd = projectFile("fixtures/demo");
    const without = await runCli(["validate", "--format", "xlsx"], { cwd });
    expect(without).toMatchObject({ code: 2, stdout: "" });
    expect(without.stderr).toContain("--out <dir>");
    const out = temporaryFolder();
    const input = path.join(out, "rejects.xlsx");
    cpSync(path.join(WORKBOOKS, "demo-from-libreoffice.xlsx"), input);
    const over = await runCli(["validate", "--source", `accounts=${input}`, "--out", out], { cwd });
    expect(over.code).toBe(2);
    expect(over.stderr).toContain("would overwrite its own input");
  });
});

function summaryIn({ stdout }: CliEnd): unknown {
  const { summary }: { readonly summary: unknown } = JSON.parse(stdout);
  return summary;
}
