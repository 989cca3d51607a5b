import { readFileSync, statSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import type { CorrectionFindings } from "../../src/corrections/correction-findings.ts";
import { type Cells, type WrittenRejects, writeExtract } from "./correction-scene.ts";

const KEYS = ["00000001", "00000002", "00000003", "00000004"];
const FILES = ["rejects.csv", "rejects.customers.csv"] as const;

function people(REF: string, index: number): readonly Cells[] {
  return [
    { REF, FIRST: `Zoë ${index}`, PHONE: "00447700900123" },
    { REF, FIRST: `Amina ${index}`, PHONE: "00447700900456" },
  ];
}

/** Writes the rejects of four accounts with one error each, and two customers per account. */
function fourAccounts(): Promise<WrittenRejects> {
  return writeExtract({
    accounts: KEYS.map((REF, index) => ({ REF, NAME: `Name ${index}`, TOWN: "Derby", TYPE: "?" })),
    customers: KEYS.flatMap(people),
    errors: { "accounts.csv": { 2: ["TYPE"], 3: ["TYPE"], 4: ["TYPE"], 5: ["TYPE"] } },
  });
}

async function after(
  change: (rows: readonly Cells[], file: (typeof FILES)[number]) => readonly Cells[],
): Promise<CorrectionFindings> {
  const exported = await fourAccounts();
  for (const file of FILES) exported.save(file, change(exported.read(file), file));
  const { findings, close } = await exported.check();
  onTestFinished(close);
  return findings;
}

const NOTHING = {
  keys: [],
  cells: [],
  added: [],
  lost: [],
  deleted: [],
  lostRecords: 0,
  reordered: [],
  listOrder: [],
  renamed: [],
  missingColumns: [],
  newColumns: [],
};

describe("re-imported rows", () => {
  it("are all recognised if nothing has changed", async () => {
    expect(await after((rows) => rows)).toMatchObject({
      ...NOTHING,
      exportedRows: 12,
      returned: 12,
      correctedCells: 0,
    });
  });

  it("do not include rows without text, which spreadsheet programs add", async () => {
    const findings = await after((rows) => [...rows, { REF: "", FIRST: " " }, {}]);
    expect(findings).toMatchObject({ ...NOTHING, exportedRows: 12, returned: 12, emptyRows: 4 });
  });

  it("are recognised in another order, with changed keys and corrected cells", async () => {
    const findings = await after((rows) =>
      rows
        .toReversed()
        .map((row) => ({ ...row, REF: row["REF"]?.replace(/^0+/, "") ?? "", ...(row["TYPE"] && { TYPE: "D" }) })),
    );
    expect(findings).toMatchObject({ cells: [], added: [], lost: [], lostRecords: 0, correctedCells: 4 });
    expect(findings.keys.map(({ source, count }) => [source, count])).toEqual([
      ["customers", 8],
      ["accounts", 4],
    ]);
    expect(findings.reordered.map(({ source, count }) => [source, count])).toEqual([
      ["accounts", 3],
      ["customers", 7],
    ]);
  });

  it("do not count as reordered if a correction makes them equal to another row", async () => {
    const exported = await writeExtract({
      accounts: [{ REF: "1", NAME: "Ann", TYPE: "D" }],
      customers: ["0770", "1", "2", "1"].map((PHONE) => ({ REF: "1", FIRST: "Zoë", PHONE })),
      errors: { "customers.csv": { 2: ["PHONE"] } },
    });
    const [bad = {}, one = {}, two = {}, last = {}] = exported.read("rejects.customers.csv");
    const corrected = { ...bad, PHONE: "1" };
    const check = async (saved: readonly Cells[]): Promise<CorrectionFindings> => {
      exported.save("rejects.customers.csv", saved);
      const { findings, close } = await exported.check();
      onTestFinished(close);
      return findings;
    };
    expect(await check([corrected, one, two, last])).toMatchObject({ ...NOTHING, correctedCells: 1 });
    const { reordered, listOrder } = await check([corrected, two, one, last]);
    expect(reordered).toMatchObject([{ source: "customers", count: 1, place: { line: 4 } }]);
    expect(listOrder).toEqual(reordered);
  });

  it("are not reordered if the NDJSON file of their source is read before the CSV file", async () => {
    const { check } = await writeExtract({
      accounts: [{ REF: "1", TYPE: "?" }],
      jsonCustomers: [{ REF: "1", FIRST: "Zoë" }],
      customers: [{ REF: "1", FIRST: "Amina" }],
      errors: { "accounts.csv": { 2: ["TYPE"] } },
    });
    const { findings, close } = await check();
    onTestFinished(close);
    expect(findings).toMatchObject({ ...NOTHING, exportedRows: 3, returned: 3 });
  });

  it("change the order of a list only if rows of the same record are in another order", async () => {
    const sorted = await after((rows) => rows.toSorted((a, b) => Number(b["REF"]) - Number(a["REF"])));
    expect(sorted).toMatchObject({ reordered: [{ count: 3 }, { count: 6 }], listOrder: [] });
    const byName = await after((rows) => rows.toSorted((a, b) => ((a["FIRST"] ?? "") < (b["FIRST"] ?? "") ? -1 : 1)));
    expect(byName.listOrder).toMatchObject([{ source: "customers", count: 4 }]);
  });

  it("are recognised by their other cells if their keys are destroyed", async () => {
    const findings = await after((rows) => rows.map((row) => ({ ...row, REF: "1E+07", migrate_key: "1E+07" })));
    expect(findings).toMatchObject({ cells: [], added: [], lost: [], lostRecords: 0 });
    expect(findings.keys.map(({ change, count }) => [change, count])).toEqual([
      ["scientific", 8],
      ["scientific", 4],
    ]);
  });

  it("are counted as lost if they are missing while other rows of their record are present", async () => {
    const findings = await after((rows, file) => (file === "rejects.csv" ? rows : rows.toSpliced(2, 1)));
    expect(findings).toMatchObject({ ...NOTHING, lost: [{ source: "customers", count: 1, number: 3 }], returned: 11 });
  });

  it("are counted as deleted on purpose if all rows of a record are missing", async () => {
    const findings = await after((rows) => rows.filter(({ REF }) => REF !== "00000003"));
    expect(findings).toMatchObject({
      ...NOTHING,
      deleted: [
        { source: "accounts", count: 1, number: 3 },
        { source: "customers", count: 2, number: 5 },
      ],
      lostRecords: 1,
    });
  });

  it("do not count a record as missing if only a duplicate row was deleted (such a record used to count as unsent)", async () => {
    const accounts = ["1", "2", "3", "3"].map((REF) => ({ REF, NAME: "Ann", TYPE: "?" }));
    const errors = { "accounts.csv": { 3: ["TYPE"], 4: ["REF"], 5: ["REF"] } };
    const lostWithout = async (isMissing: (index: number) => boolean): Promise<number> => {
      const exported = await writeExtract({ accounts, errors, duplicates: [2] });
      exported.save(
        "rejects.csv",
        exported.read("rejects.csv").filter((_, index) => !isMissing(index)),
      );
      const { findings, close } = await exported.check();
      onTestFinished(close);
      return findings.lostRecords;
    };
    expect(await lostWithout((index) => index === 0)).toBe(0);
    expect(await lostWithout((index) => index === 3)).toBe(0);
    expect(await lostWithout((index) => index >= 2)).toBe(2);
    expect(await lostWithout((index) => index === 1)).toBe(1);
  });

  it("are counted as added if they were never exported, even if they are copies of other rows", async () => {
    const findings = await after((rows, file) =>
      file === "rejects.csv"
        ? [...rows, { ...rows[0], REF: "00000009", migrate_key: "", NAME: "New", TOWN: "Leeds" }]
        : rows.toSpliced(1, 0, rows[0] ?? {}),
    );
    expect(findings).toMatchObject({ cells: [], keys: [], lost: [], lostRecords: 0, returned: 14 });
    expect(findings.added).toMatchObject([
      { source: "accounts", count: 1, place: { line: 6 } },
      { source: "customers", count: 1, place: { line: 3 } },
    ]);
  });
});

describe("a row added to a record in the place of a deleted row", () => {
  const ADDED = { REF: "00000001", FIRST: "Added", PHONE: "00447700900789", migrate_key: "" };
  // The added row has the same phone number as the deleted row, or nothing in common with it.
  it.each([ADDED, { ...ADDED, PHONE: "00447700900456" }])(
    "is not compared with the deleted row of another record (its key used to be restored to that record) %#",
    async (added) => {
      const findings = await after((rows, file) => (file === "rejects.csv" ? rows : rows.toSpliced(5, 1, added)));
      expect(findings).toMatchObject({
        ...NOTHING,
        added: [{ source: "customers", count: 1, place: { line: 7 } }],
        lost: [{ source: "customers", count: 1, number: 6 }],
      });
    },
  );

  it("is an added row even if its record had no row in the source", async () => {
    const exported = await writeExtract({
      accounts: ["1", "2"].map((REF) => ({ REF, TYPE: "?" })),
      customers: [{ REF: "1", FIRST: "Ann", PHONE: "0770" }],
      errors: { "accounts.csv": { 2: ["TYPE"], 3: ["REF"] } },
    });
    exported.save("rejects.customers.csv", [{ REF: "2", FIRST: "Ann", PHONE: "0770" }]);
    const { findings, close } = await exported.check();
    onTestFinished(close);
    expect(findings).toMatchObject({ keys: [], added: [{ count: 1 }], lost: [{ count: 1 }] });
  });
});

describe("re-imported columns", () => {
  it.each([
    ["only case and punctuation differ", "Na-me", ["REF", "Na-me", "TOWN", "TYPE"]],
    ["the column is in its old position", "SURNAME", ["REF", "SURNAME", "TOWN", "TYPE"]],
  ])("are recognised after renaming if %s", async (_, to, columns) => {
    const exported = await fourAccounts();
    const rows = exported.read("rejects.csv").map(({ NAME = "", ...row }) => ({ ...row, [to]: NAME }));
    exported.save("rejects.csv", rows, { columns });
    const { findings, close } = await exported.check();
    onTestFinished(close);
    expect(findings).toMatchObject({ ...NOTHING, renamed: [{ from: "NAME", to }] });
  });

  it("are reported with their lost cells if they are missing", async () => {
    const findings = await after((rows) =>
      rows.map((row) => Object.fromEntries(Object.entries(row).filter(([column]) => column !== "TOWN"))),
    );
    expect(findings.missingColumns).toMatchObject([{ columns: ["TOWN"] }]);
    expect(findings.cells).toMatchObject([{ column: "TOWN", change: "emptied", count: 4 }]);
  });

  it("are reported if they are new", async () => {
    const findings = await after((rows) => rows.map((row) => ({ ...row, REMARK: "done" })));
    expect(findings).toMatchObject({ ...NOTHING, newColumns: [{ columns: ["REMARK"] }, { columns: ["REMARK"] }] });
  });
});

describe("the data that a report keeps about its rejects", () => {
  it("contains no row values, differs for equal cells, and is readable only by its owner", async () => {
    const exported = await fourAccounts();
    const [settings, fingerprints] = ["rejects.json", "rejects.fingerprints"].map(exported.path);
    const texts = [settings, fingerprints].map((file) => readFileSync(file ?? "", "utf8"));
    for (const value of [...KEYS, "Derby", "Amina", "00447700900123"]) expect(texts.join()).not.toContain(value);
    for (const file of [settings, fingerprints]) expect(statSync(file ?? "").mode & 0o777).toBe(0o600);
    const lines =
      texts[1]
        ?.trim()
        .split("\n")
        .map((line): readonly unknown[] => JSON.parse(line)) ?? [];
    const towns = lines.filter(([source]) => source === "accounts").map((line) => String(line[6]).slice(16, 24));
    expect(new Set(towns).size).toBe(4);
  });

  it("has different fingerprints in another report of the same rows", async () => {
    const [one, other] = [await fourAccounts(), await fourAccounts()];
    const lines = [one, other].flatMap(({ path }) =>
      readFileSync(path("rejects.fingerprints"), "utf8").trim().split("\n"),
    );
    expect(new Set(lines).size).toBe(lines.length);
  });
});
