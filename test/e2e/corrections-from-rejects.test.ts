import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { readRejectsSettings } from "../../src/cli/settings/settings-of-rejects.ts";
import { readSettings } from "../../src/cli/settings/settings.ts";
import { type JobDependencies, openJob } from "../../src/job/job.ts";
import type { JobSettings } from "../../src/job/settings/job-settings.ts";
import { canonicalJson } from "../../src/json/json-value.ts";
import { mapRecord, prepareRecords } from "../../src/pipeline/plan/check-records.ts";
import { readCorrections } from "../../src/read/corrections/corrections-file.ts";
import { systemClock } from "../../src/time/system-clock.ts";
import { createTestFolder, temporaryFolder } from "../temporary-folder.ts";
import { type CliEnd, runCli } from "./cli.ts";
import { jsonAccount, jsonCustomer, writeJsonExtract } from "./json-extract.ts";
import { CONTRACT, outcomeLines, statusCounts, type Workplace, workplace, writeExtract } from "./push-scene.ts";
import { replaceInSheet } from "./saved-workbook.ts";
import { type Cells, readRejects, save, saveWithSpreadsheet } from "./rejects-scene.ts";

const CONFIGURATION = `contract: ${CONTRACT}\nmapping: mapping.yaml\nsupplier: ACME\n`;
const WITH_CORRECTIONS = ["--corrections", "fixes.csv"];

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

function change(work: Workplace, name: string, rows: (row: Cells) => Cells | readonly Cells[]): void {
  save(work, name, readRejects(work, name).flatMap(rows));
}

/** Corrects all errors in the rejects. */
function correctAll(work: Workplace): void {
  change(work, "rejects.csv", (row) => ({ ...row, ...(row["TYPE"] === "X" && { TYPE: "B" }) }));
  change(work, "rejects.customers.csv", (row) =>
    row["DOB"] === "31/02/1971" ? { ...row, DOB: `1971-02-${row["SEQ"]}` } : row,
  );
}

function add({ migrate }: Workplace, ...flags: readonly string[]): Promise<CliEnd> {
  return migrate(["corrections", "add", ...WITH_CORRECTIONS, "--rejects", "report", ...flags]);
}

async function stored({ file }: Workplace): Promise<readonly string[]> {
  if (!existsSync(file("fixes.csv"))) return [];
  return (await readCorrections(file("fixes.csv"))).corrections.map(
    ({ source, key, column, value }) => `${source} ${key} ${column} ${value}`,
  );
}

async function validated({ migrate }: Workplace): Promise<Readonly<Record<string, number>>> {
  const { stdout } = await migrate(["validate", ...WITH_CORRECTIONS, "--format", "ndjson"]);
  return statusCounts(outcomeLines(stdout));
}

function replace({ file }: Workplace, name: string, from: string, to: string): void {
  const text = readFileSync(file(name), "utf8");
  expect(text).toContain(from);
  writeFileSync(file(name), text.replace(from, to));
}

const ALL = ["accounts 00000002 TYPE B", "customers 00000003 DOB 1971-02-01", "customers 00000003 DOB 1971-02-02"];

describe("returned rejects", () => {
  test("are saved as corrections only once, and their values are not shown", async () => {
    const work = await exported();
    correctAll(work);
    const added = await add(work);
    expect([added.code, added.stdout]).toEqual([0, "fixes.csv: 3 corrections added\n"]);
    expect(added.stderr).toContain("report: 5 rows exported, 5 returned, 3 cells corrected in 3 rows");
    expect(added.stdout + added.stderr).not.toContain("1971");
    expect(await stored(work)).toEqual(ALL);
    const [first] = (await readCorrections(work.file("fixes.csv"))).corrections;
    expect(first?.reason).toMatch(/^rejects of run \d{8}-\d{4}-/);
    expect(await validated(work)).toEqual({ valid: 3 });

    const before = readFileSync(work.file("fixes.csv"), "utf8");
    const again = await add(work, "--format", "json");
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

  test("do not overwrite cells of the extract that have changed since the export", async () => {
    const work = await exported();
    correctAll(work);
    replace(work, "accounts.csv", "00000002,X", "00000002,Y");
    replace(work, "accounts.csv", "63 Station Road", "64 Station Road");
    const { code, stdout } = await add(work);
    expect([code, stdout]).toEqual([
      1,
      "fixes.csv: 2 corrections added\n" +
        "1 changed cell not kept: source accounts, column TYPE, the value in the sources has changed since the export (first: report/rejects.csv:2)\n",
    ]);
    expect(await stored(work)).toEqual(ALL.slice(1));
  });

  test("correct a cell even if other cells in its row have changed since the export", async () => {
    const work = await exported();
    correctAll(work);
    replace(work, "accounts.csv", "00000002,X,Amina", "00000002,X,Anna");
    expect((await add(work)).code).toBe(0);
    expect(await validated(work)).toEqual({ valid: 3 });
  });

  test("for rows that a new extract does not contain are reported", async () => {
    const work = await exported();
    correctAll(work);
    const lines = readFileSync(work.file("accounts.csv"), "utf8").split("\n");
    writeFileSync(work.file("accounts.csv"), lines.filter((line) => !line.startsWith("00000002")).join("\n"));
    const { code, stdout } = await add(work);
    expect(code).toBe(1);
    expect(stdout).toContain("column TYPE, the sources do not contain the row (first: report/rejects.csv:2)");
    expect(await stored(work)).toEqual(ALL.slice(1));
  });

  test("are refused as a whole if a spreadsheet corrupted cells, until the changes are undone or accepted", async () => {
    const work = await exported();
    correctAll(work);
    saveWithSpreadsheet(work);
    const refused = await add(work);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("no corrections were added");
    expect(refused.stderr).toContain("2 cells without errors changed: source customers, column SEQ");
    const restored = await add(work, "--restore-keys", "--accept-changes");
    expect([restored.code, restored.stdout]).toEqual([0, "fixes.csv: 5 corrections added\n"]);
    expect((await stored(work)).filter((line) => !line.includes("SEQ"))).toEqual(ALL);
    expect((await stored(work)).filter((line) => line.includes("SEQ"))).toEqual([
      "customers 00000003 SEQ 1",
      "customers 00000003 SEQ 2",
    ]);
  });

  test("with a new key are saved under the key in the extract", async () => {
    const work = await exported();
    change(work, "rejects.csv", (row) => ({ ...row, ...(row["TYPE"] === "X" && { TYPE: "B", REF: "NEW" }) }));
    change(work, "rejects.customers.csv", (row) => ({ ...row, ...(row["REF"] === "00000002" && { REF: "NEW" }) }));
    expect((await add(work)).code).toBe(2);
    expect((await add(work, "--accept-changes")).code).toBe(0);
    expect(await stored(work)).toEqual([
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
    expect((await add(work, "--accept-changes")).stdout).toBe(
      "fixes.csv: 0 corrections added, 3 cells already corrected\n",
    );
  });

  test("with added and deleted rows are saved as corrections of the changed cells only", async () => {
    const work = await exported();
    correctAll(work);
    change(work, "rejects.customers.csv", (row) =>
      row["SEQ"] === "02" ? [] : row["REF"] === "00000002" ? [row, { ...row, SEQ: "3", FIRST: "Ben" }] : row,
    );
    const { code, stdout } = await add(work, "--accept-changes");
    expect([code, stdout]).toEqual([
      0,
      "fixes.csv: 2 corrections added\n1 added row and 1 missing row not kept, because a correction can only change a cell in an existing row\n",
    ]);
    expect(await stored(work)).toEqual(ALL.slice(0, 2));
  });

  test("from a run that applied corrections replace or remove those corrections", async () => {
    const work = await exported();
    change(work, "rejects.csv", (row) => ({ ...row, TYPE: row["TYPE"] === "X" ? "Z" : "D" }));
    expect((await add(work)).code).toBe(0);
    await work.migrate(["validate", ...WITH_CORRECTIONS, "--out", "report2"]);
    save(
      work,
      "../report2/rejects.csv",
      readRejects(work, "rejects.csv", "report2").map((row) => ({ ...row, ...(row["TYPE"] === "Z" && { TYPE: "B" }) })),
    );
    const second = await work.migrate(["corrections", "add", ...WITH_CORRECTIONS, "--rejects", "report2"]);
    expect([second.code, second.stdout]).toEqual([0, "fixes.csv: 0 corrections added, 1 replaced\n"]);
    expect(await stored(work)).toEqual(["accounts 00000002 TYPE B"]);
    expect((await add(work)).stdout).toContain("1 changed cell not kept");

    save(
      work,
      "../report2/rejects.csv",
      readRejects(work, "rejects.csv", "report2").map((row) => ({ ...row, ...(row["TYPE"] === "B" && { TYPE: "X" }) })),
    );
    await work.migrate(["corrections", "add", "00000002", "TYPE", "Z", ...WITH_CORRECTIONS]);
    const third = await work.migrate(["corrections", "add", ...WITH_CORRECTIONS, "--rejects", "report2"]);
    expect([third.code, third.stdout]).toEqual([0, "fixes.csv: 0 corrections added, 1 removed\n"]);
    expect(await stored(work)).toEqual([]);
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
    const both = await add(work, "--rejects", "report2");
    expect([both.code, both.stdout]).toEqual([0, "fixes.csv: 1 correction added\n"]);
    expect(await stored(work)).toEqual(["accounts 00000002 TYPE B"]);
  });

  test("do not overwrite a correction that someone has made since the export", async () => {
    const work = await exported();
    correctAll(work);
    await work.migrate(["corrections", "add", "00000002", "TYPE", "D", ...WITH_CORRECTIONS]);
    const { code, stdout } = await add(work);
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining("1 changed cell not kept: source accounts, column TYPE"),
    ]);
    expect(await stored(work)).toEqual(["accounts 00000002 TYPE D", ...ALL.slice(1)]);
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
    const { code, stdout } = await add(work);
    expect(code).toBe(1);
    expect(stdout).toContain(
      "2 changed cells not kept: source customers, column DOB, the sources contain the row more than once",
    );
    expect(stdout).toContain("column TYPE, the row has too few or too many cells");
    expect(await stored(work)).toEqual([]);
  });

  test("in a workbook are saved like rejects in a CSV file", async () => {
    const work = await exported(["--format", "xlsx"]);
    const workbook = work.file("report", "rejects.xlsx");
    await replaceInSheet(workbook, 1, [/>X</, ">B<"]);
    const date = /<c r="(\w+)"[^>]*><is><t[^>]*>31\/02\/1971<\/t><\/is><\/c>/;
    await replaceInSheet(workbook, 2, [date, '<c r="$1"><v>19710201</v></c>']);
    const { code } = await add(work);
    expect(code).toBe(0);
    expect(await stored(work)).toEqual(["accounts 00000002 TYPE B", "customers 00000003 DOB 19710201"]);
  });

  test.each([
    ["a cell", ["A", "TYPE", "B"], "--rejects cannot be combined with <key> <column> <value>"],
    ["a list", ["--from", "list.csv"], "cannot be used with option '--rejects <dir>'"],
    ["a folder without rejects", ["--rejects", "."], "contains no rejects to re-import"],
  ])("cannot be combined with %s", async (_, words, message) => {
    const work = await exported();
    const { code, stderr } = await add(work, ...words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

/** Writes a report of two accounts from JSON sources with nested values. */
async function jsonExported(): Promise<Workplace> {
  const folder = temporaryFolder();
  writeJsonExtract(folder, {
    accounts: [
      jsonAccount("A", { account: { ref: "A", type: "X", vacant: "no" }, balance: 12.345 }),
      jsonAccount("B", { address: { lines: ["1 Road", "Town"], postcode: "?" } }),
    ],
    customers: [
      jsonCustomer("A", { born: null, phones: ["1"] }),
      jsonCustomer("A", { phones: ["1"] }),
      jsonCustomer("B"),
    ],
  });
  const work: Workplace = {
    ...workplace({ accounts: [] }, undefined, temporaryFolder()),
    folder,
    file: (...names) => path.join(folder, ...names),
    migrate: (args) => runCli(args, { cwd: folder }),
  };
  expect((await work.migrate(["validate", "--out", "report"])).code).toBe(1);
  return work;
}

describe("returned rejects from JSON sources", () => {
  test("are saved under the paths of the changed JSON values, with the types of the values", async () => {
    const work = await jsonExported();
    replace(work, "report/rejects.ndjson", '"type":"X"', '"type":"B"');
    replace(work, "report/rejects.ndjson", "12.345", "12.34");
    replace(work, "report/rejects.ndjson", '"postcode":"?"', '"postcode":"DE1 2GU"');
    replace(work, "report/rejects.customers.ndjson", '["1"]', '["07700 900731"]');
    const { code, stdout, stderr } = await add(work);
    expect([code, stdout, stderr]).toEqual([0, "fixes.csv: 4 corrections added\n", expect.anything()]);
    expect(await stored(work)).toEqual([
      "accounts A account.type B",
      "accounts A balance 12.34",
      "accounts B address.postcode DE1 2GU",
      "customers A phones.0 07700 900731",
    ]);
    const preview = await work.migrate(["preview", ...WITH_CORRECTIONS, "--show-values", "--format", "json"]);
    expect(preview.stdout).toContain('"balance":"12.34"');
    expect((await add(work)).stdout).toBe("fixes.csv: 0 corrections added, 4 cells already corrected\n");
  });

  test("are reported if a correction cannot store the change", async () => {
    const work = await jsonExported();
    replace(work, "report/rejects.ndjson", '"vacant":"no"', '"vacant":false');
    replace(work, "report/rejects.customers.ndjson", '["1"]', '["07700 900731","07700 900732"]');
    const { code, stdout } = await add(work);
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining(
        "source accounts, column account, a correction cannot change the type or number of JSON values",
      ),
    ]);
    expect(await stored(work)).toEqual(['customers A phones ["07700 900731","07700 900732"]']);
  });
});

describe("for any changed cells in rejects,", () => {
  const text = fc.oneof(
    fc.constantFrom("", "D", "B", "=1+1", "'x", 'a,"b"', "two\nlines", " x ", "ü"),
    fc.string({ maxLength: 6 }),
  );
  const value = text.filter((each) => !each.includes("\0") && !each.includes("\r"));
  const cells = fc.array(fc.record({ file: fc.nat(1), row: fc.nat(5), column: fc.nat(4), value }), { maxLength: 6 });

  test("corrections to the extract produce the same payloads as re-importing the rejects", async () => {
    const { folder, remove } = createTestFolder();
    onTestFinished(remove);
    const keys = ["K1", "K2", "K3"];
    writeExtract(folder, {
      accounts: keys.map((REF) => ({ REF, TYPE: "X" })),
      customers: keys.flatMap((REF) => [
        { REF, SEQ: "1" },
        { REF, SEQ: "2" },
      ]),
    });
    writeFileSync(path.join(folder, "migrate.yaml"), CONFIGURATION);
    await runCli(["validate", "--out", "report"], { cwd: folder });
    const work = workplace({ accounts: [] }, undefined, temporaryFolder());
    const here: Workplace = { ...work, folder, file: (...names) => path.join(folder, ...names) };
    const files = ["rejects.csv", "rejects.customers.csv"] as const;
    const originals = files.map((name) => readRejects(here, name));
    await fc.assert(
      fc.asyncProperty(cells, async (changes) => {
        for (const [index, name] of files.entries()) {
          const rows = (originals[index] ?? []).map((row) => ({ ...row }));
          for (const { file, row, column, value: changed } of changes) {
            const target = rows[row];
            const names = Object.keys(target ?? {}).filter((each) => !/^(?:REF|SEQ|migrate_.*)$/.test(each));
            const chosen = names[column % names.length];
            if (file === index && target !== undefined && chosen !== undefined) target[chosen] = changed;
          }
          save(here, name, rows);
        }
        writeFileSync(here.file("fixes.csv"), "");
        const words = ["corrections", "add", ...WITH_CORRECTIONS, "--rejects", "report", "--accept-changes"];
        expect(await runCli(words, { cwd: folder })).toMatchObject({ code: 0 });
        const flags = { rejects: [path.join(folder, "report")], acceptChanges: true };
        const rejects = await readRejectsSettings([], flags, folder, dependencies(folder));
        const sources = await readSettings([], {}, folder);
        const corrections = readFileSync(here.file("fixes.csv"), "utf8") === "" ? undefined : "fixes.csv";
        expect(await payloads({ ...sources.job, corrections }, folder)).toEqual(await payloads(rejects.job, folder));
      }),
      { numRuns: 20 },
    );
  });
});

function dependencies(folder: string): JobDependencies {
  return {
    clock: systemClock,
    temporaryFolder: path.join(folder, "temp"),
    notice: () => undefined,
    contractCache: undefined,
  };
}

async function payloads(settings: JobSettings, folder: string): Promise<readonly string[]> {
  const job = await openJob(settings, dependencies(folder));
  const found: string[] = [];
  try {
    for await (const batch of job.input.records()) {
      await prepareRecords(batch, job);
      for (const record of batch) found.push(canonicalJson(mapRecord(record, job).payload));
    }
  } finally {
    await job.input.close();
  }
  return found.toSorted();
}
