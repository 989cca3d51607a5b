import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readCorrections } from "../../src/read/corrections/corrections-file.ts";
import { CONTRACT, outcomeLines, statusCounts, type Workplace, workplace } from "./push-scene.ts";
import {
  addCorrections,
  change,
  readRejects,
  replaceIn,
  save,
  saveWithSpreadsheet,
  storedCorrections,
  WITH_CORRECTIONS,
} from "./rejects-scene.ts";
import { replaceInSheet } from "./saved-workbook.ts";

const CONFIGURATION = `contract: ${CONTRACT}\nmapping: mapping.yaml\nsupplier: ACME\n`;

/**
 * Writes a report of three accounts. The second has an unknown type; the third has two customers with the same wrong
 * date.
 */
async function exported(flags: readonly string[] = []): Promise<Workplace> {
  const place = workplace({
    accounts: [{ REF: "00000001" }, { REF: "00000002", TYPE: "X" }, { REF: "00000003" }],
    customers: [
      { REF: "00000001" },
      { REF: "00000002" },
      { REF: "00000003", SEQ: "01", DOB: "31/02/1971" },
      { REF: "00000003", SEQ: "02", DOB: "31/02/1971" },
    ],
  });
  writeFileSync(place.file("migrate.yaml"), CONFIGURATION);
  expect((await place.migrate(["validate", "--out", "report", ...flags])).code).toBe(1);
  return place;
}

/** Corrects all errors in the rejects. */
function correctAll(work: Workplace): void {
  change(work, "rejects.csv", (row) => ({ ...row, ...(row["TYPE"] === "X" && { TYPE: "B" }) }));
  change(work, "rejects.customers.csv", (row) =>
    row["DOB"] === "31/02/1971" ? { ...row, DOB: `1971-02-${row["SEQ"]}` } : row,
  );
}

async function validated({ migrate }: Workplace): Promise<Readonly<Record<string, number>>> {
  const { stdout } = await migrate(["validate", ...WITH_CORRECTIONS, "--format", "ndjson"]);
  return statusCounts(outcomeLines(stdout));
}

const ALL = ["accounts 00000002 TYPE B", "customers 00000003 DOB 1971-02-01", "customers 00000003 DOB 1971-02-02"];

describe("returned rejects", () => {
  test("are saved as corrections only once, and their values are not shown", async () => {
    const work = await exported();
    correctAll(work);
    const added = await addCorrections(work);
    expect([added.code, added.stdout]).toEqual([0, "fixes.csv: 3 corrections added\n"]);
    expect(added.stderr).toContain("report: 5 rows exported, 5 returned, 3 cells corrected in 3 rows");
    expect(added.stdout + added.stderr).not.toContain("1971");
    expect(await storedCorrections(work)).toEqual(ALL);
    const [first] = (await readCorrections(work.file("fixes.csv"))).corrections;
    expect(first?.reason).toMatch(/^rejects of run \d{8}-\d{4}-/);
    expect(await validated(work)).toEqual({ valid: 3 });

    const before = readFileSync(work.file("fixes.csv"), "utf8");
    const again = await addCorrections(work, "--format", "json");
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toEqual({
      file: "fixes.csv",
      added: 0,
      replaced: 0,
      removed: 0,
      alreadyCorrected: 3,
      notKept: [],
      addedRows: 0,
      missingRows: 0,
    });
    expect(readFileSync(work.file("fixes.csv"), "utf8")).toBe(before);
  });

  test("are looked up in the files that the command line of the exporting run named", async () => {
    const work = await exported();
    replaceIn(work, "mapping.yaml", "files: accounts.csv, ", "");
    expect((await work.migrate(["validate", "accounts.csv", "--out", "report"])).code).toBe(1);
    correctAll(work);
    const { code, stderr } = await addCorrections(work);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("no files were given")]);
    expect(await storedCorrections(work)).toEqual(ALL);
  });

  test("do not overwrite cells of the extract that have changed since the export", async () => {
    const work = await exported();
    correctAll(work);
    replaceIn(work, "accounts.csv", "00000002,X", "00000002,Y");
    replaceIn(work, "accounts.csv", "63 Station Road", "64 Station Road");
    const { code, stdout } = await addCorrections(work);
    expect([code, stdout]).toEqual([
      1,
      "fixes.csv: 2 corrections added\n" +
        "1 changed cell not kept: source accounts, column TYPE, the value in the sources has changed since the export (first: report/rejects.csv:2)\n",
    ]);
    expect(await storedCorrections(work)).toEqual(ALL.slice(1));
  });

  test("do not replace an earlier correction with another value (the sources used to be named as the cause)", async () => {
    const work = await exported();
    expect((await work.migrate(["corrections", "add", "00000002", "TYPE", "D", ...WITH_CORRECTIONS])).code).toBe(0);
    correctAll(work);
    const { code, stdout } = await addCorrections(work);
    expect([code, stdout]).toEqual([
      1,
      "fixes.csv: 2 corrections added\n" +
        "1 changed cell not kept: source accounts, column TYPE, an earlier correction gives the cell another value (`migrate corrections list`) (first: report/rejects.csv:2)\n",
    ]);
    expect(await storedCorrections(work)).toEqual(["accounts 00000002 TYPE D", ...ALL.slice(1)]);
  });

  test("correct a cell even if other cells in its row have changed since the export", async () => {
    const work = await exported();
    correctAll(work);
    replaceIn(work, "accounts.csv", "00000002,X,Amina", "00000002,X,Anna");
    expect((await addCorrections(work)).code).toBe(0);
    expect(await validated(work)).toEqual({ valid: 3 });
  });

  test("for rows that a new extract does not contain are reported", async () => {
    const work = await exported();
    correctAll(work);
    const lines = readFileSync(work.file("accounts.csv"), "utf8").split("\n");
    writeFileSync(work.file("accounts.csv"), lines.filter((line) => !line.startsWith("00000002")).join("\n"));
    const { code, stdout } = await addCorrections(work);
    expect(code).toBe(1);
    expect(stdout).toContain("column TYPE, the sources do not contain the row (first: report/rejects.csv:2)");
    expect(await storedCorrections(work)).toEqual(ALL.slice(1));
  });

  test("for a row that a new extract does not contain are not applied to another row with the same key", async () => {
    const work = await exported();
    correctAll(work);
    const lines = readFileSync(work.file("customers.csv"), "utf8").split("\n");
    const row = lines.find((line) => line.startsWith("00000003,01")) ?? "";
    const others = lines.filter((line) => !line.startsWith("00000003,0"));
    writeFileSync(work.file("customers.csv"), [...others, row.replace("Amina", "Cyd"), ""].join("\n"));
    const { code, stdout } = await addCorrections(work);
    expect(code).toBe(1);
    expect(stdout).toContain(
      "2 changed cells not kept: source customers, column DOB, the row has changed in the sources",
    );
    expect(await storedCorrections(work)).toEqual(ALL.slice(0, 1));
  });

  test("are refused as a whole if a spreadsheet corrupted cells, until the changes are undone or accepted", async () => {
    const work = await exported();
    correctAll(work);
    saveWithSpreadsheet(work);
    const refused = await addCorrections(work);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("no corrections were added");
    expect(refused.stderr).toContain("2 cells without errors changed: source customers, column SEQ");
    const restored = await addCorrections(work, "--restore-keys", "--accept-changes");
    expect([restored.code, restored.stdout]).toEqual([0, "fixes.csv: 5 corrections added\n"]);
    expect((await storedCorrections(work)).filter((line) => !line.includes("SEQ"))).toEqual(ALL);
    expect((await storedCorrections(work)).filter((line) => line.includes("SEQ"))).toEqual([
      "customers 00000003 SEQ 1",
      "customers 00000003 SEQ 2",
    ]);
  });

  test("with a new key are saved under the key in the extract", async () => {
    const work = await exported();
    change(work, "rejects.csv", (row) => ({ ...row, ...(row["TYPE"] === "X" && { TYPE: "B", REF: "NEW" }) }));
    change(work, "rejects.customers.csv", (row) => ({ ...row, ...(row["REF"] === "00000002" && { REF: "NEW" }) }));
    expect((await addCorrections(work)).code).toBe(2);
    expect((await addCorrections(work, "--accept-changes")).code).toBe(0);
    expect(await storedCorrections(work)).toEqual([
      "accounts 00000002 REF NEW",
      "accounts 00000002 TYPE B",
      "customers 00000002 REF NEW",
    ]);
    const { stdout } = await work.migrate(["validate", ...WITH_CORRECTIONS, "--format", "ndjson"]);
    expect(outcomeLines(stdout).map(({ key, status }) => [key, status])).toEqual([
      ["00000001", "valid"],
      ["NEW", "valid"],
      ["00000003", "invalid"],
    ]);
    expect((await addCorrections(work, "--accept-changes")).stdout).toBe(
      "fixes.csv: 0 corrections added, 3 cells already corrected\n",
    );
  });

  test("with added and deleted rows are saved as corrections of the changed cells only", async () => {
    const work = await exported();
    correctAll(work);
    change(work, "rejects.customers.csv", (row) =>
      row["SEQ"] === "02" ? [] : row["REF"] === "00000002" ? [row, { ...row, SEQ: "3", FIRST: "Ben" }] : row,
    );
    const { code, stdout } = await addCorrections(work, "--accept-changes");
    expect([code, stdout]).toEqual([
      0,
      "fixes.csv: 2 corrections added\n1 added row and 1 missing row not kept, because a correction can only change a cell in an existing row\n",
    ]);
    expect(await storedCorrections(work)).toEqual(ALL.slice(0, 2));
  });

  test("from a run that applied corrections replace or remove those corrections", async () => {
    const work = await exported();
    change(work, "rejects.csv", (row) => ({ ...row, TYPE: row["TYPE"] === "X" ? "Z" : "D" }));
    expect((await addCorrections(work)).code).toBe(0);
    await work.migrate(["validate", ...WITH_CORRECTIONS, "--out", "report2"]);
    save(
      work,
      "../report2/rejects.csv",
      readRejects(work, "rejects.csv", "report2").map((row) => ({ ...row, ...(row["TYPE"] === "Z" && { TYPE: "B" }) })),
    );
    const second = await work.migrate(["corrections", "add", ...WITH_CORRECTIONS, "--rejects", "report2"]);
    expect([second.code, second.stdout]).toEqual([0, "fixes.csv: 0 corrections added, 1 replaced\n"]);
    expect(await storedCorrections(work)).toEqual(["accounts 00000002 TYPE B"]);
    expect((await addCorrections(work)).stdout).toContain("1 changed cell not kept");

    save(
      work,
      "../report2/rejects.csv",
      readRejects(work, "rejects.csv", "report2").map((row) => ({ ...row, ...(row["TYPE"] === "B" && { TYPE: "X" }) })),
    );
    await work.migrate(["corrections", "add", "00000002", "TYPE", "Z", ...WITH_CORRECTIONS]);
    const third = await work.migrate(["corrections", "add", ...WITH_CORRECTIONS, "--rejects", "report2"]);
    expect([third.code, third.stdout]).toEqual([0, "fixes.csv: 0 corrections added, 1 removed\n"]);
    expect(await storedCorrections(work)).toEqual([]);
  });

  test("from several folders are saved in the order of the folders", async () => {
    const work = await exported();
    change(work, "rejects.csv", (row) => ({ ...row, TYPE: row["TYPE"] === "X" ? "Z" : "D" }));
    await work.migrate(["validate", "--rejects", "report", "--out", "report2"]);
    save(
      work,
      "../report2/rejects.csv",
      readRejects(work, "rejects.csv", "report2").map((row) => ({ ...row, TYPE: row["TYPE"] === "Z" ? "B" : "D" })),
    );
    const both = await addCorrections(work, "--rejects", "report2");
    expect([both.code, both.stdout]).toEqual([0, "fixes.csv: 1 correction added\n"]);
    expect(await storedCorrections(work)).toEqual(["accounts 00000002 TYPE B"]);
  });

  test("do not overwrite a correction that someone has made since the export", async () => {
    const work = await exported();
    correctAll(work);
    await work.migrate(["corrections", "add", "00000002", "TYPE", "D", ...WITH_CORRECTIONS]);
    const { code, stdout } = await addCorrections(work);
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining("1 changed cell not kept: source accounts, column TYPE"),
    ]);
    expect(await storedCorrections(work)).toEqual(["accounts 00000002 TYPE D", ...ALL.slice(1)]);
  });

  test("of equal rows, and of rows with too few cells, are reported", async () => {
    const customer = { REF: "A", SEQ: "1", DOB: "31/02/1971" };
    const work = workplace({
      accounts: [{ REF: "A" }, { REF: "B", TYPE: "X" }],
      customers: [customer, customer, { REF: "B" }],
    });
    writeFileSync(work.file("migrate.yaml"), CONFIGURATION);
    const accounts = readFileSync(work.file("accounts.csv"), "utf8");
    writeFileSync(work.file("accounts.csv"), accounts.replace(/(\nB,.*),\d+\n$/, "$1\n"));
    await work.migrate(["validate", "--out", "report"]);
    change(work, "rejects.customers.csv", (row) => ({ ...row, ...(row["REF"] === "A" && { DOB: "1971-02-28" }) }));
    const rejects = readFileSync(work.file("report", "rejects.csv"), "utf8");
    writeFileSync(work.file("report", "rejects.csv"), rejects.replace("B,X,", "B,D,"));
    const { code, stdout } = await addCorrections(work);
    expect(code).toBe(1);
    expect(stdout).toContain(
      "2 changed cells not kept: source customers, column DOB, the sources contain the row more than once",
    );
    expect(stdout).toContain("column TYPE, the row has too few or too many cells");
    expect(await storedCorrections(work)).toEqual([]);
  });

  test("in a workbook are saved like rejects in a CSV file", async () => {
    const work = await exported(["--format", "xlsx"]);
    const workbook = work.file("report", "rejects.xlsx");
    await replaceInSheet(workbook, 1, [/>X</, ">B<"]);
    const date = /<c r="(\w+)"[^>]*><is><t[^>]*>31\/02\/1971<\/t><\/is><\/c>/;
    await replaceInSheet(workbook, 2, [date, '<c r="$1"><v>19710201</v></c>']);
    const { code } = await addCorrections(work);
    expect(code).toBe(0);
    expect(await storedCorrections(work)).toEqual(["accounts 00000002 TYPE B", "customers 00000003 DOB 19710201"]);
  });

  test.each([
    ["a cell", ["A", "TYPE", "B"], "--rejects cannot be combined with <key> <column> <value>"],
    ["a list", ["--from", "list.csv"], "cannot be used with option '--rejects <dir>'"],
    ["a folder without rejects", ["--rejects", "."], "contains no rejects to re-import"],
  ])("cannot be combined with %s", async (_, words, message) => {
    const work = await exported();
    const { code, stderr } = await addCorrections(work, ...words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
