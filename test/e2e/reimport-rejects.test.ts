import { appendFileSync, copyFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { rawWorkbook } from "../read/workbook/raw-workbook.ts";
import { describe, expect, test } from "vitest";
import { CONTRACT, outcomeLines, statusCounts, workplace } from "./push-scene.ts";

import { correct, KEYS, readRejects, save, sheetCell, useRejects } from "./rejects-scene.ts";

const { sandbox, admin, fourAccounts, keysOnPlatform } = useRejects();

describe("rejects are re-imported", () => {
  test("with the recorded settings of a validation, from another folder, unless the environment overrides them", async () => {
    const work = fourAccounts();
    const flags = ["--contract", CONTRACT, "--mapping", "mapping.yaml", "--supplier", "OTHER"];
    const first = await work.migrate(["validate", "accounts.csv", ...flags, "--out", "report"], {
      env: { MIGRATE_SUPPLIER: undefined },
    });
    expect(first.stderr).toContain("Next    migrate validate --rejects report\n");
    mkdirSync(work.file("elsewhere"));
    const cwd = work.file("elsewhere");
    const asRecorded = { cwd, env: { MIGRATE_SUPPLIER: undefined } };
    const same = await work.migrate(["validate", "--rejects", "../report", "--format", "ndjson"], asRecorded);
    expect(same.code).toBe(1);
    expect(statusCounts(outcomeLines(same.stdout))).toEqual({ invalid: 2 });
    correct(work);
    expect((await work.migrate(["validate", "--rejects", "../report"], asRecorded)).code).toBe(0);
    const pushed = await work.migrate(["push", "--rejects", "../report", "--limit", "1"], { cwd });
    expect(pushed.code).toBe(0);
    expect((await admin.accounts()).map(({ supplier, key }) => [supplier, key])).toEqual([
      [sandbox.ready.supplier, "00000003"],
    ]);
  });

  test("with the command that a report in another folder prints (it named a configuration file that was not there)", async () => {
    const work = fourAccounts();
    mkdirSync(work.file("elsewhere"));
    writeFileSync(work.file("elsewhere/settings.yaml"), "ledger: ../ours.db\n");
    await work.push(["--config", "elsewhere/settings.yaml"]);
    const cwd = work.file("elsewhere");
    const { stderr } = await work.migrate(["report", "--ledger", "../ours.db", "--out", "again"], { cwd });
    const [, next = ""] = /^Next +migrate (.*)$/m.exec(stderr) ?? [];
    expect(next).toContain(`--config ${work.file("elsewhere/settings.yaml")}`);
    expect((await work.migrate(next.split(" "), { cwd })).code).toBe(1);
  });

  test("without the empty rows that a spreadsheet program has added", async () => {
    const work = fourAccounts();
    await work.push(["--out", "report"]);
    correct(work);
    for (const name of ["rejects.csv", "rejects.customers.csv"]) {
      const [row = {}] = readRejects(work, name);
      appendFileSync(work.file("report", name), `${",".repeat(Object.keys(row).length - 1)}\n`.repeat(2));
    }
    const { code, stdout, stderr } = await work.migrate(["push", "--rejects", "report", "--format", "ndjson"]);
    expect(stderr).toContain(
      "report: 4 rows exported, 4 returned, 2 cells corrected in 2 rows\n4 empty rows ignored\n",
    );
    expect([code, statusCounts(outcomeLines(stdout))]).toEqual([0, { accepted: 2 }]);
    expect(await keysOnPlatform()).toEqual(KEYS);
    const proof = await work.migrate(["proof", "--out", "proof"]);
    expect([proof.code, proof.stdout]).toEqual([0, expect.stringContaining("Everything is accounted for")]);
  });

  test("only if every exported file is in the folder, or is named with --source", async () => {
    const work = fourAccounts();
    await work.push(["--out", "report"]);
    correct(work);
    renameSync(work.file("report/rejects.customers.csv"), work.file("moved.csv"));
    const { code, stderr } = await work.migrate(["push", "--rejects", "report"]);
    expect(code).toBe(2);
    expect(stderr).toContain("report/rejects.customers.csv: no such file");
    expect(stderr).toContain("put it back into the folder, or pass its new path: --source customers=<path>");
    expect((await work.migrate(["push", "--rejects", "report", "--source", "customers=moved.csv"])).code).toBe(0);
  });

  test("to the platform recorded in the ledger, and a new report is written", async () => {
    const work = fourAccounts();
    await work.push(["--out", "report"]);
    correct(work);
    writeFileSync(work.file("migrate.yaml"), "out: report\n");
    const env = { MIGRATE_BASE_URL: undefined, MIGRATE_CA: undefined, MIGRATE_SUPPLIER: undefined };
    const { code, stderr } = await work.migrate(["push", "--rejects", "report"], { env });
    expect(stderr).toContain("Report  .migrate/runs/");
    expect(code).toBe(0);
    expect(await keysOnPlatform()).toEqual(KEYS);
  });

  test("even if a whole record is missing (which then stays open), but not if only a child row is missing", async () => {
    const work = fourAccounts();
    await work.push(["--out", "report"]);
    correct(work);
    const customers = readRejects(work, "rejects.customers.csv");
    save(work, "rejects.customers.csv", customers.slice(1));
    const lost = await work.migrate(["push", "--rejects", "report"]);
    expect(lost.code).toBe(2);
    expect(lost.stderr).toContain(
      "1 row missing from records that are otherwise present: source customers (first: exported row 1)",
    );
    save(work, "rejects.csv", readRejects(work, "rejects.csv").slice(1));
    const left = await work.migrate(["push", "--rejects", "report", "--format", "ndjson"]);
    expect(left.stderr).toContain("1 record missing: not sent, and still in need of correction");
    expect(statusCounts(outcomeLines(left.stdout))).toEqual({ accepted: 1 });
    expect(await keysOnPlatform()).toEqual(["00000001", "00000002", "00000004"]);
  });

  test("a second time, even if none of their records has rows in one of the sources", async () => {
    const work = fourAccounts();
    const mapping = readFileSync(work.file("mapping.yaml"), "utf8")
      .replace("payload:", "  exports: { files: exports.csv, parent: accounts, on: REF, pick: first }\npayload:")
      .replace("- identifier: MPAN", `$&\n${" ".repeat(10)}is_export: exports.EXPORT`);
    writeFileSync(work.file("mapping.yaml"), mapping);
    writeFileSync(work.file("exports.csv"), `REF,EXPORT\n${KEYS[0]},true\n`);
    await work.push(["--out", "first"]);
    expect((await work.migrate(["push", "--rejects", "first", "--out", "report"])).code).toBe(1);
    correct(work);
    const { code, stdout, stderr } = await work.migrate(["push", "--rejects", "report", "--format", "ndjson"]);
    expect(stderr).toContain("report: 4 rows exported, 4 returned, 2 cells corrected in 2 rows");
    expect([code, statusCounts(outcomeLines(stdout))]).toEqual([0, { accepted: 2 }]);
    expect(await keysOnPlatform()).toEqual(KEYS);
  });

  test("a second time as rows of a child source, if no other source has rejects", async () => {
    const work = workplace({ accounts: [{ REF: "A-1" }], customers: [{ REF: "A-1" }, { REF: "A-9" }] }, sandbox);
    expect((await work.push(["--out", "first"])).code).toBe(1);
    expect((await work.migrate(["push", "--rejects", "first", "--out", "second"])).code).toBe(1);
    const again = await work.migrate(["push", "--rejects", "second", "--accept-changes", "--format", "ndjson"]);
    expect(again.stderr).toContain("second: 1 row exported, 1 returned, 0 cells corrected\n");
    expect(outcomeLines(again.stdout)).toMatchObject([{ status: "invalid", errors: [{ code: "source_orphan_row" }] }]);
    expect(await keysOnPlatform()).toEqual(["A-1"]);
  });

  test("from the workbook if only the workbook has changed, including its keys and numbers", async () => {
    const work = fourAccounts();
    await work.push(["--format", "xlsx", "--out", "report"]);
    const sheet = (name: string): string => {
      const rows = readRejects(work, name).map((row) => ({ ...row, ...(row["TYPE"] && { TYPE: "D" }) }));
      const lines = [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))];
      return lines.map((line) => `<row>${line.map(sheetCell).join("")}</row>`).join("");
    };
    const book = await rawWorkbook({
      sheets: { accounts: sheet("rejects.csv"), customers: sheet("rejects.customers.csv") },
    });
    copyFileSync(book, work.file("report/rejects.xlsx"));
    const refused = await work.migrate(["push", "--rejects", "report"]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(
      "2 keys changed: source accounts, column REF, 9{8} -> 9, a spreadsheet drops leading zeros (first: report/rejects.xlsx#accounts:2)",
    );
    const flags = ["push", "--rejects", "report", "--restore-keys", "--accept-changes"];
    const { stdout } = await work.migrate([...flags, "--format", "ndjson"]);
    expect(statusCounts(outcomeLines(stdout))).toEqual({ accepted: 2 });
    expect(await keysOnPlatform()).toEqual(KEYS);
    correct(work);
    const both = await work.migrate(flags);
    expect([both.code, both.stderr]).toEqual([
      2,
      expect.stringContaining("both rejects.xlsx and rejects.csv have changed"),
    ]);
  });

  test("from JSON, and changed keys are detected", async () => {
    const work = workplace({ accounts: [] }, sandbox);
    const payload = {
      external_account_number: "J-1",
      import_supplier: sandbox.ready.supplier,
      account_type: "NONE",
      billing_name: "Zoë",
      billing_address1: "63 Station Road",
      billing_postcode: "DE1 2GU",
    };
    writeFileSync(work.file("payloads.ndjson"), `${JSON.stringify(payload)}\n`);
    const flags = ["--contract", CONTRACT, "--operation", "import-account"];
    await work.migrate(["validate", "payloads.ndjson", ...flags, "--out", "report"]);
    const mended = { ...payload, account_type: "DOMESTIC", external_account_number: "J-2" };
    writeFileSync(work.file("report/rejects.ndjson"), `${JSON.stringify(mended)}\n`);
    const { code, stderr } = await work.migrate(["validate", "--rejects", "report"]);
    expect(code).toBe(2);
    expect(stderr).toContain("1 key changed: source records, column external_account_number");
    expect(stderr).toContain("1 cell corrected in 1 row");
  });

  test("even if the rejects file of a JSON source is empty", async () => {
    const work = workplace({ accounts: [{ REF: "EXT-1" }, { REF: "EXT-2", TYPE: "?" }] }, sandbox);
    const mapping = readFileSync(work.file("mapping.yaml"), "utf8")
      .replace("payload:", "  notes: { files: notes.ndjson, parent: accounts, on: REF }\npayload:")
      .concat("  notes: { each: notes, item: { body: TEXT } }\n");
    writeFileSync(work.file("mapping.yaml"), mapping);
    writeFileSync(work.file("notes.ndjson"), '{"REF":"EXT-1","TEXT":"Moved in"}\n');
    expect((await work.push(["--out", "report"])).code).toBe(1);
    expect(readFileSync(work.file("report/rejects.notes.ndjson"), "utf8")).toBe("");
    save(
      work,
      "rejects.csv",
      readRejects(work, "rejects.csv").map((row) => ({ ...row, TYPE: "D" })),
    );
    const { code, stdout } = await work.migrate(["push", "--rejects", "report", "--format", "ndjson"]);
    expect([code, outcomeLines(stdout)]).toMatchObject([0, [{ key: "EXT-2", status: "accepted" }]]);
    expect((await work.migrate(["proof", "--all", "--out", "proof"])).code).toBe(0);
  });
});

test("edited rejects are kept if the report is written again", async () => {
  const work = fourAccounts();
  await work.push(["--out", "report"]);
  const unedited = readRejects(work, "rejects.csv");
  correct(work);
  const edited = readRejects(work, "rejects.csv");

  const again = await work.migrate(["report", "--out", "report"]);
  const notice = "report/rejects.csv was edited after its export; the edited file is now edited-rejects.csv";
  expect(again.stderr).toContain(notice);
  expect(readRejects(work, "edited-rejects.csv")).toEqual(edited);
  expect(readRejects(work, "rejects.csv")).toEqual(unedited);

  correct(work);
  await work.migrate(["resume", "--out", "report"]);
  expect(readRejects(work, "edited-rejects-2.csv")).toEqual(edited);
  const unchanged = await work.migrate(["report", "--out", "report"]);
  expect(unchanged.stderr).not.toContain("edited");
});
