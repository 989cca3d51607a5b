import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { runCli } from "./cli.ts";
import { linesOf, validate, workFolder } from "./validate-scene.ts";

const MAPPING = `operation: import-account
sources:
  accounts:  { files: accounts.csv }
  customers: { files: customers.csv, parent: accounts, on: { CUST_ID: CUSTOMER }, key: CUST_ID }
payload:
  number: REF
  name: NAME
  customers:
    each: customers
    item: { family_name: LAST, email: MAIL }
`;

const FILES = {
  "mapping.yaml": MAPPING,
  "accounts.csv": "REF,NAME,CUSTOMER\n1,Ann,C1\n2,Ann again,C1\n3,Bob,C2\n4,Cy,C9\n",
  "customers.csv": "CUST_ID,LAST,MAIL\nC1,Abbott,not a mail\nC2,Begum,b@example.org\n",
};

it("validate reports an error in a shared row for both accounts, and writes the row to the rejects once", async () => {
  const folder = workFolder(FILES);
  const { code, stdout } = await validate(folder, ["--out", "report"]);
  const cell = { file: "customers.csv", line: 2, column: "MAIL", columnNumber: 3 };
  expect(linesOf(stdout).map(({ key, status, errors }) => ({ key, status, errors }))).toMatchObject([
    { key: "1", status: "invalid", errors: [{ attr: "customers.0.email", code: "invalid", source: cell }] },
    { key: "2", status: "invalid", errors: [{ attr: "customers.0.email", code: "invalid", source: cell }] },
    { key: "3", status: "valid" },
    { key: "4", status: "invalid", errors: [{ code: "source_missing_row", source: { line: 5, column: "CUSTOMER" } }] },
  ]);
  expect(code).toBe(1);
  const rejects = readFileSync(path.join(folder, "report/rejects.customers.csv"), "utf8");
  expect(rejects.split("\n").filter((line) => line.startsWith("C1,"))).toHaveLength(1);
});

it("validate reports each account as invalid if a shared row is left out because its key differs slightly", async () => {
  const folder = workFolder({
    ...FILES,
    "mapping.yaml": MAPPING.replace(", key: CUST_ID", ""),
    "accounts.csv": "REF,NAME,CUSTOMER\n1,Ann,c1\n2,Ann again,c1\n3,Bob,C2\n",
  });
  const { stdout } = await validate(folder, []);
  expect(linesOf(stdout).map(({ status, errors = [] }) => [status, ...errors.map(({ code }) => code)])).toEqual([
    ["invalid", "source_child_left_out"],
    ["invalid", "source_child_left_out"],
    ["valid"],
    ["invalid", "source_orphan_row"],
  ]);
});

it("validate reports a duplicate key in a child file for both accounts, along with their other errors", async () => {
  const folder = workFolder({
    "mapping.yaml": MAPPING.replace("on: { CUST_ID: CUSTOMER }, key: CUST_ID", "on: { REF: REF }, key: LAST"),
    "accounts.csv": "REF,NAME\n1,Ann\n2,\n",
    "customers.csv": "REF,LAST,MAIL\n1,Abbott,\n2,Abbott,\n",
  });
  const { stdout } = await validate(folder, []);
  expect(linesOf(stdout).map(({ errors = [] }) => errors.map(({ code }) => code))).toEqual([
    ["source_duplicate_key"],
    ["source_duplicate_key", "required"],
  ]);
});

it("validate stops at a join that matches no rows, and shows no key", async () => {
  const folder = workFolder({ ...FILES, "accounts.csv": "REF,NAME,CUSTOMER\n1,Ann,10001\n2,Bob,10002\n" });
  const { code, stderr } = await validate(folder, []);
  expect(code).toBe(2);
  expect(stderr).toContain("customers: 0 of 2 rows match accounts.CUSTOMER");
  expect(stderr).not.toContain("10001");
});

it("a cell that two sources read is corrected in the rejects of both (one correction used to be refused)", async () => {
  const folder = workFolder({
    "mapping.yaml": `operation: import-account
sources:
  accounts:  { files: accounts.csv, key: REF }
  customers: { files: customers.csv, parent: accounts, on: REF }
  lead:      { files: customers.csv, parent: accounts, on: REF, pick: first }
payload: { number: REF, name: lead.LAST, mobile: lead.MOBILE, customers: { each: customers, item: { family_name: LAST } } }
`,
    "accounts.csv": "REF\n1\n",
    "customers.csv": "REF,LAST,MOBILE\n1,Abbott,ask\n1,Baker,\n",
  });
  await validate(folder, ["--out", "report"]);
  for (const source of ["customers", "lead"]) {
    const rejects = path.join(folder, `report/rejects.${source}.csv`);
    expect(readFileSync(rejects, "utf8")).toMatch(/^1,Abbott,ask,1,mobile,invalid,/m);
    writeFileSync(rejects, readFileSync(rejects, "utf8").replace(",ask,", ",07400123456,"));
  }
  const { code, stderr } = await runCli(["validate", "--rejects", "report"], { cwd: folder });
  expect(stderr).toContain("2 cells corrected in 2 rows");
  expect(code).toBe(0);
});

it("an error that only a later account has in a shared row is in the rejects, and can be corrected (it used to be refused)", async () => {
  const folder = workFolder({
    "mapping.yaml": MAPPING.replace("name: NAME", "name: NAME\n  mobile: MOBILE").replace(
      "MAIL }",
      "{ from: MAIL, when: { column: parent.NAME, in: [Bob] } } }",
    ),
    "accounts.csv": "REF,NAME,CUSTOMER,MOBILE\n1,Ann,C1,x\n2,Bob,C1,\n",
    "customers.csv": "CUST_ID,LAST,MAIL\nC1,Abbott,not a mail\n",
  });
  await validate(folder, ["--out", "report"]);
  const file = path.join(folder, "report/rejects.customers.csv");
  const rejects = readFileSync(file, "utf8");
  expect(rejects).toMatch(/^C1,Abbott,not a mail,1,customers\.0\.email,invalid,/m);
  writeFileSync(file, rejects.replace("not a mail", "a@example.org"));
  const { stderr } = await runCli(["validate", "--rejects", "report"], { cwd: folder });
  expect(stderr).toContain("1 cell corrected in 1 row");
  expect(stderr).not.toContain("cells without errors changed");
});
