import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { workbookBytes } from "../read/workbook/raw-workbook.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { runCli } from "./cli.ts";
import { workFolder } from "./validate-scene.ts";
import { CONTRACT, outcomeLines, statusCounts, workplace, type Workplace } from "./push-scene.ts";

/** Validates the sources, then their rejects. Returns the counts of both, and the summary of the first. */
async function validatedTwice(
  { migrate }: Pick<Workplace, "migrate">,
  edit: () => void = () => undefined,
): Promise<readonly [counts: object, again: object, summary: string]> {
  const first = await migrate(["validate", "--out", "report", "--format", "ndjson"]);
  edit();
  const again = await migrate(["validate", "--rejects", "report", "--format", "ndjson", "--allow-empty"]);
  return [statusCounts(outcomeLines(first.stdout)), statusCounts(outcomeLines(again.stdout)), first.stderr];
}

function accounts(): Workplace {
  const place = workplace({ accounts: [{ REF: "00000001" }, { REF: "00000002" }] });
  writeFileSync(place.file("migrate.yaml"), `contract: ${CONTRACT}\nmapping: mapping.yaml\nsupplier: ACME\n`);
  return place;
}

test("a row that lacks a cell stays ragged if a spreadsheet program adds an empty cell (the key used to become a value)", async () => {
  const place = accounts();
  const lines = readFileSync(place.file("accounts.csv"), "utf8").trimEnd().split("\n");
  writeFileSync(place.file("accounts.csv"), `${lines.join("\n").replace(/,[^,\n]*$/, "")}\n`);
  const [counts, again] = await validatedTwice(place, () => {
    const rejects = readFileSync(place.file("report", "rejects.csv"), "utf8").trimEnd().split("\n");
    const width = Math.max(...rejects.map((line) => line.split(",").length));
    const filled = rejects.map((line) => line + ",".repeat(width - line.split(",").length));
    writeFileSync(place.file("report", "rejects.csv"), `${filled.join("\n")}\n`);
  });
  expect(counts).toEqual({ valid: 1, invalid: 1 });
  expect(again).not.toHaveProperty("valid");
});

test("a record with a stray quotation mark is not in the rejects, because its copy would be valid", async () => {
  const place = accounts();
  const original = readFileSync(place.file("accounts.csv"), "utf8");
  writeFileSync(place.file("accounts.csv"), original.replace(/00000002,/, '00000002,De"r'));
  const [counts, again, summary] = await validatedTwice(place);
  expect(counts).toEqual({ valid: 1, invalid: 1 });
  expect(again).toEqual({});
  expect(summary).toContain("1 record cannot be copied unchanged: see errors.csv, and fix it in the extract");
  expect(summary).not.toContain("--rejects");
});

function text(value: string): string {
  return `<c t="inlineStr"><is><t>${value}</t></is></c>`;
}

/** Returns one line of JSON. */
function customer(ref: string, more = ""): string {
  return `{"REF":"${ref}","SEQ":"1","FIRST":"Ada","LAST":"Byron","DOB":"1971-02-01","EMAIL":"","MOBILE":""${more}}\n`;
}

const MAPPING = `
operation: import-account
sources:
  accounts: { files: accounts.xlsx, key: REF }
payload:
  external_account_number: REF
  import_supplier: { value: "\${supplier}" }
  account_type: TYPE
  billing_name: NAME
  billing_address1: { value: "1 Road" }
  billing_postcode: { value: "DE1 2GU" }
  customers: [{ family_name: NAME }]
`;

test("a workbook record with a spreadsheet error in a cell is not in the rejects (it used to become valid)", async () => {
  const folder = temporaryFolder();
  const sheet = `<row>${["REF", "TYPE", "NAME"].map(text).join("")}</row>
    <row>${text("A-1")}${text("DOMESTIC")}<c t="e"><v>#N/A</v></c></row>
    <row>${text("A-2")}${text("DOMESTIC")}<c><f>SUM(Z1:Z3)</f></c></row>
    <row><c><v>1234567890123456789</v></c>${text("DOMESTIC")}${text("Bob")}</row>`;
  writeFileSync(`${folder}/accounts.xlsx`, await workbookBytes({ sheets: { accounts: sheet } }));
  writeFileSync(`${folder}/mapping.yaml`, MAPPING);
  writeFileSync(`${folder}/migrate.yaml`, `contract: ${CONTRACT}\nmapping: mapping.yaml\nsupplier: ACME\n`);
  const migrate: Workplace["migrate"] = (args) => runCli(args, { cwd: folder });
  const [counts, again] = await validatedTwice({ migrate });
  expect(counts).toEqual({ invalid: 3 });
  expect(again).toEqual({});
});

test("a record with an unreadable joined row is not in the rejects (it used to be sent without that row)", async () => {
  const place = accounts();
  const mapping = readFileSync(place.file("mapping.yaml"), "utf8");
  writeFileSync(place.file("mapping.yaml"), mapping.replace("customers.csv", "customers.ndjson"));
  writeFileSync(place.file("customers.ndjson"), customer("00000001") + customer("00000002"));
  appendFileSync(place.file("customers.ndjson"), customer("00000002", ',"CRM":12345678901234567890'));
  const [counts, again] = await validatedTwice(place);
  expect(counts).toEqual({ valid: 1, invalid: 1 });
  expect(again).toEqual({});
});

const PICK_MAPPING = `operation: import-account
key: number
sources:
  accounts: { files: accounts.csv, key: REF }
  customers: { files: customers.csv, parent: accounts, on: REF, pick: CHOICE }
payload:
  number: REF
  name: NAME
  customers: [{ family_name: customers.LAST, joined_at: customers.JOINED }]
`;

test.each([
  ["cannot be ordered", "{ last: { column: JOINED, date: yyyy-MM-dd } }"],
  ["determines the selection and is not valid", "last by JOINED"],
])("rejects contain the rows that pick omitted if a cell %s (one row used to be sent)", async (_cell, pick) => {
  const folder = workFolder({
    "migrate.yaml": "contract: contract.yaml\nmapping: mapping.yaml\n",
    "mapping.yaml": PICK_MAPPING.replace("CHOICE", pick),
    "accounts.csv": "REF,NAME\n1,Ann\n2,Bob\n",
    "customers.csv":
      "REF,LAST,JOINED\n1,Abbott,2023-01-01\n1,Baker,2024-99-01\n1,Carter,2023-06-01\n2,Dee,2020-01-01\n2,Eve,2021-01-01\n",
  });
  const migrate: Workplace["migrate"] = (args) => runCli(args, { cwd: folder });
  const [counts, again] = await validatedTwice({ migrate });
  expect(counts).toEqual({ valid: 1, invalid: 1 });
  expect(again).toEqual({ invalid: 1 });
  const rejects = `${folder}/report/rejects.customers.csv`;
  const names = readFileSync(rejects, "utf8").match(/(?<=^1,)\w+/gm);
  expect(names).toEqual(["Abbott", "Baker", "Carter"]);
  writeFileSync(rejects, readFileSync(rejects, "utf8").replace("2024-99-01", "2023-02-01"));
  const { stdout } = await migrate(["validate", "--rejects", "report", "--format", "ndjson"]);
  expect(statusCounts(outcomeLines(stdout))).toEqual({ valid: 1 });
});
