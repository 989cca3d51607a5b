import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CONTRACT, type Workplace, workplace } from "./push-scene.ts";
import { readRejects, replaceIn, save, useRejects } from "./rejects-scene.ts";

const { sandbox, admin, keysOnPlatform } = useRejects();

const OWNERS = `owners:
  - { owner: Names, attrs: [billing_name] }
  - { owner: Types }
`;

/** Pushes four accounts. K2 has no name; K3 and K4 have a wrong type. Writes a package for each owner to `report`. */
async function exported(customers = ["K1", "K2", "K3", "K4"]): Promise<Workplace> {
  const accounts = [{ REF: "K1" }, { REF: "K2", NAME: "" }, { REF: "K3", TYPE: "?" }, { REF: "K4", TYPE: "?" }];
  const work = workplace({ accounts, customers: customers.map((REF) => ({ REF })) }, sandbox);
  writeFileSync(work.file("migrate.yaml"), OWNERS);
  await work.push(["--out", "report"]);
  await work.migrate(["report", "--by-owner"]);
  return work;
}

function correct(work: Workplace, folder: string, cells: Readonly<Record<string, string>>): void {
  const rows = readRejects(work, "rejects.csv", `report/${folder}`);
  save(
    work,
    `${folder}/rejects.csv`,
    rows.map((row) => ({ ...row, ...cells })),
  );
}

const BOTH = ["--rejects", "report/Names", "--rejects", "report/Types"];

test("push --rejects re-imports several folders of one run together", async () => {
  const work = await exported();
  correct(work, "Names", { NAME: "Zoë Hughes" });
  correct(work, "Types", { TYPE: "D" });
  expect((await work.migrate(["validate", ...BOTH])).code).toBe(0);
  const { code, stderr } = await work.migrate(["push", ...BOTH]);
  expect(code).toBe(0);
  expect(stderr).toContain("report/Names: 2 rows exported, 2 returned, 1 cell corrected in 1 row");
  expect(stderr).toContain("report/Types: 4 rows exported, 4 returned, 2 cells corrected in 2 rows");
  expect(await keysOnPlatform()).toEqual(["K1", "K2", "K3", "K4"]);
});

test("if a change in one folder is not a correction, the push of all folders stops", async () => {
  const work = await exported();
  correct(work, "Names", { NAME: "Zoë Hughes" });
  correct(work, "Types", { TYPE: "D", ADDRESS: "1 Other Road" });
  const { code, stderr } = await work.migrate(["push", ...BOTH]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("2 cells without errors changed: source accounts")]);
  expect(await keysOnPlatform()).toEqual(["K1"]);
  expect((await work.migrate(["push", ...BOTH, "--accept-changes"])).code).toBe(0);
});

test("changed keys are restored in the folder that exported them", async () => {
  const work = await exported();
  correct(work, "Names", { NAME: "Zoë Hughes", REF: " K2" });
  correct(work, "Types", { TYPE: "D" });
  expect((await work.migrate(["push", ...BOTH])).code).toBe(2);
  const { code, stderr } = await work.migrate(["push", ...BOTH, "--restore-keys"]);
  expect([code, stderr]).toEqual([0, expect.stringContaining("1 key restored: source accounts, column REF")]);
  expect(await keysOnPlatform()).toEqual(["K1", "K2", "K3", "K4"]);
});

test("a workbook is read for a folder whose CSV files are missing", async () => {
  const work = await exported();
  correct(work, "Names", { NAME: "Zoë Hughes" });
  for (const name of ["rejects.csv", "rejects.customers.csv"]) rmSync(work.file("report", "Types", name));
  const { code, stderr } = await work.migrate(["validate", ...BOTH]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("report/Types: 4 rows exported, 4 returned, 0 cells")]);
});

test("a record in two folders is refused with its key and the folders", async () => {
  const work = await exported();
  const twice = await work.migrate(["push", "--rejects", "report", "--rejects", "report/Types"]);
  expect(twice.code).toBe(2);
  expect(twice.stderr).toContain("K3 is in both report and report/Types; nothing was sent");

  correct(work, "Names", { NAME: "Zoë Hughes", POSTCODE: "?" });
  await work.migrate(["push", "--rejects", "report/Names", "--accept-changes", "--out", "again"]);
  const later = await work.migrate(["push", "--rejects", "report/Names", "--rejects", "again"]);
  expect([later.code, later.stderr]).toEqual([2, expect.stringContaining("K2 is in both report/Names and again")]);
});

test("child rows for the same record in two folders are refused", async () => {
  const work = await exported();
  appendFileSync(
    work.file("report", "Types", "rejects.customers.csv"),
    "K2,9,Ann,Hughes,07700 900730,1947-06-16,,,,\n",
  );
  const { code, stderr } = await work.migrate(["push", ...BOTH, "--accept-changes"]);
  expect(code).toBe(2);
  expect(stderr).toContain("rows of source customers with the same REF are in both report/Names and report/Types");
  expect(stderr).toContain("put all rows with this REF in one folder, or correct them in the report of the whole run");
  expect(stderr).not.toContain("migrate push --rejects");
  expect(await keysOnPlatform()).toEqual(["K1"]);
});

test("folders that share a row of several records are refused, and can be re-imported separately", async () => {
  const accounts = [{ REF: "K1" }, { REF: "K2", NAME: "" }, { REF: "K3", TYPE: "?" }];
  const work = workplace({ accounts, customers: [{ REF: "DE1 2GU" }] }, sandbox);
  replaceIn(work, "mapping.yaml", "on: REF", "on: { REF: POSTCODE }");
  writeFileSync(work.file("migrate.yaml"), OWNERS);
  await work.push(["--out", "report"]);
  await work.migrate(["report", "--by-owner"]);
  correct(work, "Names", { NAME: "Zoë Hughes" });
  const { code, stderr } = await work.migrate(["push", ...BOTH]);
  expect(code).toBe(2);
  expect(stderr).toContain("rows of source customers with the same REF are in both report/Names and report/Types");
  expect(stderr).toContain("`migrate push --rejects report/Names`, then `migrate push --rejects report/Types`");
  expect((await work.migrate(["push", "--rejects", "report/Names"])).code).toBe(0);
  expect(await keysOnPlatform()).toEqual(["K1", "K2"]);
});

test("folders of different runs are read together if their settings agree", async () => {
  const work = await exported();
  correct(work, "Names", { NAME: "Zoë Hughes" });
  writeFileSync(work.file("accounts.csv"), readFileSync(work.file("accounts.csv"), "utf8").replaceAll(/K(\d)/g, "L$1"));
  writeFileSync(
    work.file("customers.csv"),
    readFileSync(work.file("customers.csv"), "utf8").replaceAll(/K(\d)/g, "L$1"),
  );
  await work.push(["--out", "other"]);
  await work.migrate(["report", "--by-owner"]);
  const { code, stderr } = await work.migrate(["push", "--rejects", "report/Names", "--rejects", "other/Names"]);
  expect([code, stderr]).toEqual([1, expect.stringContaining("other/Names: 2 rows exported")]);
  expect(await keysOnPlatform()).toEqual(["K1", "K2", "L1"]);
  const again = await work.migrate(["push", "--rejects", "report/Names", "--rejects", "other/Names"]);
  expect(again.stderr).toContain("1 skipped");
});

test("folders of runs with different settings are refused, and a separate command is suggested for each folder", async () => {
  const work = await exported();
  appendFileSync(work.file("mapping.yaml"), "\n# changed\n");
  await work.push(["--out", "other"]);
  const { code, stderr } = await work.migrate(["push", "--rejects", "report/Names", "--rejects", "other"]);
  expect(code).toBe(2);
  expect(stderr).toContain("report/Names and other come from runs with different settings: the mapping");
  expect(stderr).toContain("`migrate push --rejects report/Names`, then `migrate push --rejects other`");

  renameSync(work.file(".migrate"), work.file("elsewhere"));
  const flags = ["--rejects", "report/Names", "--rejects", "other", "--ledger", "elsewhere/ledger.db"];
  const moved = await work.migrate(["push", ...flags]);
  expect(moved.stderr).toContain("then `migrate push --rejects other --ledger elsewhere/ledger.db`");

  await work.migrate(["validate", "accounts.csv", ...VALIDATE, "--out", "checked"]);
  const unknown = await work.migrate(["push", "--rejects", "other", "--rejects", "checked"]);
  expect(unknown.stderr).toContain("other and checked come from different runs, and the ledger does not contain both");
});

const VALIDATE = ["--contract", CONTRACT, "--mapping", "mapping.yaml"];

test("--source cannot be combined with several folders", async () => {
  const work = await exported();
  const { code, stderr } = await work.migrate(["push", ...BOTH, "--source", "customers=customers.csv"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("--source cannot be combined with several --rejects")]);
});

test("report reads the folders of a run that re-imported several folders", async () => {
  const work = await exported();
  correct(work, "Names", { NAME: "Zoë Hughes" });
  const { code } = await work.migrate(["push", ...BOTH, "--out", "second"]);
  expect(code).toBe(1);
  const { stdout } = await work.migrate(["report", "--by-owner", "--out", "third"]);
  expect(stdout).toMatch(/Types +2 +- +third\/Types\n/);
  const types = await work.migrate(["push", "--rejects", "third/Types"]);
  expect([types.code, types.stderr]).toEqual([1, expect.stringContaining("4 rows exported, 4 returned")]);
});

test("a push of several folders can be resumed", async () => {
  const work = await exported();
  correct(work, "Names", { NAME: "Zoë Hughes" });
  correct(work, "Types", { TYPE: "D" });
  await admin.supplier("Paused");
  expect((await work.migrate(["push", ...BOTH])).code).toBe(4);
  await admin.supplier("Ongoing");
  expect((await work.migrate(["resume"])).code).toBe(0);
  expect(await keysOnPlatform()).toEqual(["K1", "K2", "K3", "K4"]);
});
