import { appendFileSync, cpSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openPromise } from "yauzl";
import { temporaryFolder } from "../temporary-folder.ts";
import { type CliEnd, projectFile, runCli } from "./cli.ts";
import { useSandbox, workplace } from "./push-scene.ts";
import { replaceInSheet } from "./saved-workbook.ts";

const { sandbox } = useSandbox();

const cwd = projectFile("fixtures/demo");

/** Writes a report with a workbook of the demo's rejects. */
async function report(): Promise<string> {
  const out = temporaryFolder();
  const run = await runCli(["validate", "--format", "xlsx", "--out", out], { cwd });
  expect(run.stderr).toContain(`migrate validate --rejects ${out}`);
  return out;
}

function reimport(folder: string, ...flags: readonly string[]): Promise<CliEnd> {
  return runCli(["validate", "--rejects", folder, ...flags], { cwd });
}

function edit(folder: string, from: RegExp, to: string): Promise<void> {
  return replaceInSheet(path.join(folder, "rejects.xlsx"), 1, [from, to]);
}

test("a corrected workbook is re-imported instead of the unchanged files", async () => {
  const folder = await report();
  await edit(folder, />X</, ">D<");
  const run = await reimport(folder, "--format", "json");
  expect(run.stderr).toContain("104 rows exported, 104 returned, 1 cell corrected in 1 row");
  expect(run.code).toBe(1);
  const { summary, outcomes } = JSON.parse(run.stdout);
  expect(summary).toMatchObject({ records: 19, valid: 1, invalid: 18 });
  expect(outcomes[0].source).toEqual({ file: path.join(folder, "rejects.xlsx#accounts"), line: 2 });
});

test("keys that became numbers in a workbook are refused, and --restore-keys restores their leading zeros", async () => {
  const folder = await report();
  const cell = /<c r="B2" s="1" t="inlineStr"><is><t xml:space="preserve">00010005<\/t><\/is><\/c>/;
  await edit(folder, cell, '<c r="B2"><v>10005</v></c>');
  const refused = await reimport(folder);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("1 key changed: source accounts, column ACCOUNT_REF, 9{8} -> 9{5}");
  expect(refused.stderr).toContain(`(first: ${path.join(folder, "rejects.xlsx#accounts")}:2)`);
  const restored = await reimport(folder, "--restore-keys", "--format", "json");
  expect(JSON.parse(restored.stdout).outcomes[0].key).toBe("00010005");
});

test("the CSV files are read if the workbook is unchanged, and the workbook if the CSV files are missing", async () => {
  const folder = await report();
  const fromFiles = await reimport(folder, "--format", "json");
  expect(fromFiles.stdout).toContain(`${folder}/rejects.csv`);
  for (const name of ["rejects.csv", "rejects.customers.csv", "rejects.meter_points.csv", "rejects.readings.csv"]) {
    rmSync(path.join(folder, name));
  }
  const fromWorkbook = await reimport(folder, "--format", "json");
  expect(fromWorkbook.stdout).toContain(`${folder}/rejects.xlsx#accounts`);
  expect(JSON.parse(fromWorkbook.stdout).summary).toEqual(JSON.parse(fromFiles.stdout).summary);
});

test("a changed workbook is refused if a CSV file has changed too, regardless of timestamps", async () => {
  const folder = await report();
  await edit(folder, />X</, ">D<");
  const copy = path.join(temporaryFolder(), "copy");
  cpSync(folder, copy, { recursive: true });
  expect((await reimport(copy)).stderr).toContain("1 cell corrected");
  appendFileSync(path.join(folder, "rejects.customers.csv"), "\n");
  const refused = await reimport(folder);
  expect(refused).toMatchObject({ code: 2, stdout: "" });
  expect(refused.stderr).toContain("both rejects.xlsx and rejects.customers.csv have changed since they were exported");
});

test("the same rows produce the same workbook", async () => {
  const [one, other] = [await report(), await report()];
  expect(readFileSync(path.join(one, "rejects.xlsx")).equals(readFileSync(path.join(other, "rejects.xlsx")))).toBe(
    true,
  );
});

test("report --format xlsx writes the workbook of a push", async () => {
  const rows = ["00000001", "00000002"].map((REF, index) => ({
    REF,
    NAME: "Zoë Hughes",
    ...(index > 0 && { TYPE: "?" }),
  }));
  const work = workplace({ accounts: rows, customers: rows.map(({ REF }) => ({ REF, SEQ: "01" })) }, sandbox);
  await work.push([]);
  const run = await work.migrate(["report", "--format", "xlsx", "--out", "again"]);
  expect(run.code).toBe(1);
  const zip = await openPromise(work.file("again", "rejects.xlsx"), { lazyEntries: true, autoClose: true });
  const names: string[] = [];
  for await (const entry of zip.eachEntry()) names.push(entry.fileName);
  expect(names).toContain("xl/comments1.xml");
  for (const name of ["rejects.csv", "rejects.customers.csv"]) rmSync(work.file("again", name));
  const back = await work.migrate(["validate", "--rejects", "again", "--format", "ndjson"]);
  expect(back.stdout).toContain('"key":"00000002","source":{"file":"again/rejects.xlsx#accounts","line":2}');
});
