import { describe, expect, it, onTestFinished } from "vitest";
import type { CorrectionFindings } from "../../src/corrections/correction-findings.ts";
import { type Cells, type WrittenRejects, writeExtract } from "./correction-scene.ts";

/** A row of correct cells, and one cell with an error. */
const ROW: Cells = { REF: "00000003", NAME: "Zoë O'Brien", PHONE: "00447700900123", WRONG: "x", OTHER: "y" };

async function oneRow(cells: Cells): Promise<WrittenRejects> {
  return writeExtract({ accounts: [{ ...ROW, ...cells }], errors: { "accounts.csv": { 2: ["WRONG"] } } });
}

async function findingsOf(
  exported: WrittenRejects,
  options?: Parameters<WrittenRejects["check"]>[0],
): Promise<CorrectionFindings> {
  const { findings, close } = await exported.check(options);
  onTestFinished(close);
  return findings;
}

async function afterSaving(before: Cells, after: Cells): Promise<CorrectionFindings> {
  const exported = await oneRow(before);
  exported.save(
    "rejects.csv",
    exported.read("rejects.csv").map((row) => ({ ...row, ...after })),
  );
  return findingsOf(exported);
}

describe("changed cells are reported", () => {
  it.each([
    ["leading zeros are lost", "00447700900123", "447700900123", "zeros"],
    ["a leading plus sign is lost", "+447700900123", "447700900123", "plus"],
    ["a date is written as ISO 8601", "01/02/2020", "2020-02-01", "date"],
    ["a date is shortened", "01/02/2020", "1/2/20", "date"],
    ["a date is written in the American format", "2020-02-28", "02/28/2020", "date"],
    ["a date is written with the name of its month", "28.02.2020", "28-Feb-20", "date"],
    ["a date gets a time", "28/02/2020", "2020-02-28 00:00:00", "date"],
    ["TRUE is written in capitals", "true", "TRUE", "case"],
    ["spaces at the end are lost", "Derby  ", "Derby", "spaces"],
    ["spaces at the end are added", "Derby", "Derby ", "spaces"],
    ["a zero after the decimal point is lost", "12.50", "12.5", "decimals"],
    ["a decimal point becomes a comma", "12.75", "12,75", "decimals"],
    ["a thousands separator is lost", "1,234.50", "1234.5", "decimals"],
    ["a time gets seconds", "08:30", "08:30:00", "time"],
    ["a round number gets an exponent", "1200000000000", "1.2E+12", "scientific"],
    ["quotation marks become curly", 'the "Old" Mill\'s', "the “Old” Mill’s", "quotes"],
    ["UTF-8 is read as windows-1252", "Zoë", "ZoÃ«", "encoding"],
    ["line endings inside a cell change", "one\r\ntwo", "one\ntwo", "line_ends"],
  ] as const)("with their old values: %s", async (_, before, after, change) => {
    const { cells, keys, correctedCells } = await afterSaving({ OTHER: before }, { OTHER: after });
    expect(cells).toMatchObject([{ source: "accounts", column: "OTHER", change, count: 1, before, after }]);
    expect({ keys, correctedCells }).toEqual({ keys: [], correctedCells: 0 });
  });

  it.each([
    ["a long number is cut off by an exponent", "1234567890123", "1.23457E+12", "scientific"],
    ["digits beyond the fifteenth are lost", "1234567890123456789", "1234567890123450000", "digits"],
    ["a string becomes a formula error", "=Smith", "#NAME?", "formula"],
    ["a cell is emptied", "Derby", "", "emptied"],
    ["a person writes something else", "Derby", "Leeds", "other"],
  ] as const)("without their old value if it cannot be recovered: %s", async (_, before, after, change) => {
    const { cells } = await afterSaving({ OTHER: before }, { OTHER: after });
    expect(cells).toMatchObject([{ column: "OTHER", change, count: 1, before: undefined, after }]);
  });

  it("if an empty cell was filled", async () => {
    const { cells } = await afterSaving({ OTHER: "" }, { OTHER: "Leeds" });
    expect(cells).toMatchObject([{ column: "OTHER", change: "filled", before: "" }]);
  });
});

describe("a file that is saved", () => {
  it.each([
    ["with semicolons", { delimiter: ";" }],
    ["with tabs", { delimiter: "\t" }],
    ["with a byte order mark", { bom: true }],
    ["as UTF-16 with a byte order mark", { bom: true, encoding: "utf16le" }],
    ["without the error columns", { columns: ["REF", "NAME", "PHONE", "WRONG", "OTHER"] }],
    ["with the error columns in another order", { columns: ["OTHER", "migrate_key", "WRONG", "PHONE", "NAME", "REF"] }],
  ] as const)("%s counts as unchanged", async (_, form) => {
    const exported = await oneRow({});
    exported.save("rejects.csv", exported.read("rejects.csv"), form);
    const { cells, keys, missingColumns, renamed, added, exportedRows, returned } = await findingsOf(exported);
    expect({ cells, keys, missingColumns, renamed, added }).toEqual({
      cells: [],
      keys: [],
      missingColumns: [],
      renamed: [],
      added: [],
    });
    expect([exportedRows, returned]).toEqual([1, 1]);
  });
});

describe("a correction", () => {
  it("may replace a cell that has an error with any other value", async () => {
    const { cells, correctedCells, correctedRows } = await afterSaving({}, { WRONG: "right" });
    expect({ cells, correctedCells, correctedRows }).toEqual({ cells: [], correctedCells: 1, correctedRows: 1 });
  });

  it("of an error without a cell may change any cell in the row, unless the change is typical of a spreadsheet", async () => {
    const exported = await writeExtract({ accounts: [ROW], errors: { "accounts.csv": { 2: [""] } } });
    exported.save(
      "rejects.csv",
      exported.read("rejects.csv").map((row) => ({ ...row, OTHER: "z", PHONE: "447700900123" })),
    );
    const { cells, correctedCells } = await findingsOf(exported);
    expect(correctedCells).toBe(1);
    expect(cells).toMatchObject([{ column: "PHONE", change: "zeros" }]);
  });

  it("of a broken rule over several fields may change a cell in any row of the record", async () => {
    const exported = await writeExtract({
      accounts: [ROW],
      customers: [{ REF: ROW["REF"] ?? "", FIRST: "Zoë" }],
      errors: { "accounts.csv": { 2: ["WRONG"] } },
      rule: "order",
    });
    exported.save(
      "rejects.customers.csv",
      exported.read("rejects.customers.csv").map((row) => ({ ...row, FIRST: "Chloë" })),
    );
    const { cells, correctedCells } = await findingsOf(exported);
    expect({ cells, correctedCells }).toEqual({ cells: [], correctedCells: 1 });
  });
});

describe("changed keys", () => {
  it.each([
    ["lost zeros", "00000003", "3"],
    ["an exponent that cuts digits off", "1234567890123", "1.23457E+12"],
    ["a typing mistake", "EXT-0001", "EXT-0009"],
  ] as const)("are restored from the data of the report: %s", async (_, before, after) => {
    const exported = await writeExtract({
      accounts: [{ ...ROW, REF: before }],
      customers: [{ REF: before, FIRST: "Zoë" }],
      errors: { "accounts.csv": { 2: ["WRONG"] } },
    });
    for (const file of ["rejects.csv", "rejects.customers.csv"]) {
      exported.save(
        file,
        exported.read(file).map((row) => ({ ...row, REF: after, migrate_key: after })),
      );
    }
    expect((await findingsOf(exported)).keys).toMatchObject([
      { column: "REF", count: 1, after },
      { column: "REF", count: 1 },
    ]);
    const { findings, restore, close } = await exported.check({ restoreKeys: true });
    onTestFinished(close);
    expect(findings.keys).toEqual([]);
    expect(findings.restored.map((keys) => keys.before)).toEqual([before, before]);
    const table = {
      kind: "csv",
      file: exported.path("rejects.csv"),
      columns: ["REF", "NAME"],
      columnIndex: new Map(),
    } as const;
    expect(restore?.({ table, line: 2, cells: [after, "x"] })).toMatchObject({ cells: [before, "x"] });
    expect(restore?.({ table, line: 3, cells: [after, "x"] })).toMatchObject({ cells: [after, "x"] });
  });

  it("count as corrections if the key had an error, unless the change is typical of a spreadsheet", async () => {
    const keyIsWrong = { "accounts.csv": { 2: ["REF"] } };
    for (const [after, correctedCells, keys] of [
      ["00000004", 1, 0],
      ["3", 0, 1],
    ] as const) {
      const exported = await writeExtract({ accounts: [ROW], errors: keyIsWrong });
      exported.save(
        "rejects.csv",
        exported.read("rejects.csv").map((row) => ({ ...row, REF: after })),
      );
      const findings = await findingsOf(exported);
      expect([findings.correctedCells, findings.keys.length]).toEqual([correctedCells, keys]);
    }
  });
});
