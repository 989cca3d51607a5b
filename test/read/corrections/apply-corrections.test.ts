import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/json/json-value.ts";
import type { CsvRow, JsonRow, Row } from "../../../src/model/record.ts";
import type { SourceSpec } from "../../../src/model/source-spec.ts";
import { type Corrector, createCorrector } from "../../../src/read/corrections/apply-corrections.ts";
import { cellText, rowSha256Of, sha256Of } from "../../../src/read/corrections/correction.ts";
import type { ListedCorrection } from "../../../src/read/corrections/corrections-file.ts";

const PLAN: SourceSpec = {
  name: "accounts",
  files: ["accounts.csv"],
  key: "REF",
  children: [{ name: "customers", files: ["customers.csv"], on: "ACCOUNT", children: [] }],
};

const COLUMNS = ["REF", "ACCOUNT", "NAME", "MOBILE"];
const TABLE = {
  kind: "csv",
  file: "accounts.csv",
  columns: COLUMNS,
  columnIndex: new Map(COLUMNS.map((name, index) => [name, index])),
} as const;

function csvRow(line: number, cells: readonly string[]): CsvRow {
  return { table: TABLE, line, cells };
}

function jsonRow(line: number, value: JsonObject): JsonRow {
  return { table: { kind: "json", file: "accounts.ndjson" }, line, pointer: "", value };
}

function correction(given: Partial<ListedCorrection> & { readonly old?: string }): ListedCorrection {
  const { old = "", ...rest } = given;
  const fixed = { key: "A", source: "accounts", column: "NAME", value: "new", by: "", at: "", reason: "", line: 2 };
  return { ...fixed, oldSha256: sha256Of(old), ...rest };
}

function corrector(...corrections: readonly ListedCorrection[]): Corrector {
  return createCorrector(corrections, { file: "fixes.csv", plan: PLAN, keyColumn: () => "REF" });
}

describe("a correction", () => {
  test("replaces the old value in the row that has its key, and is reported with that row", () => {
    const { amend, results } = corrector(correction({ old: "Ann" }));
    const row = csvRow(2, ["A", "", "Ann", "1"]);
    const amended = { ...csvRow(2, ["A", "", "new", "1"]), uncorrected: row };
    expect(amend(row, "accounts")).toEqual(amended);
    expect(amend(csvRow(3, ["B", "", "Ann", "1"]), "accounts")).toEqual(csvRow(3, ["B", "", "Ann", "1"]));
    expect([...results()]).toMatchObject([{ state: "applied", place: { file: "accounts.csv", line: 2 } }]);
  });

  test("does not change a cell whose value has since changed, and is reported as outdated", () => {
    const { amend, results } = corrector(correction({ old: "Ann" }));
    const row = csvRow(2, ["A", "", "Anna", "1"]);
    expect(amend(row, "accounts")).toBe(row);
    expect([...results()]).toMatchObject([{ state: "outdated", place: { line: 2 } }]);
  });

  test("whose new value is already in the cell changes nothing", () => {
    const { amend, results } = corrector(correction({ old: "Ann" }));
    const row = csvRow(2, ["A", "", "new", "1"]);
    expect(amend(row, "accounts")).toBe(row);
    expect([...results()]).toMatchObject([{ state: "corrected" }]);
  });

  test("without a matching row is reported as unused", () => {
    expect([...corrector(correction({})).results()]).toMatchObject([{ state: "unused" }]);
  });

  test("finds rows in a source without a key by the column that joins them", () => {
    const { amend } = corrector(correction({ source: "customers", old: "Ann" }));
    expect(amend(csvRow(2, ["x", "A", "Ann", ""]), "customers")).toMatchObject({ cells: ["x", "A", "new", ""] });
    expect(amend(csvRow(2, ["A", "y", "Ann", ""]), "accounts")).toMatchObject({ cells: ["A", "y", "Ann", ""] });
  });

  test("of one of several equal cells applies only to the row with the given hash", () => {
    const rows = [csvRow(2, ["1", "A", "n/a", ""]), csvRow(3, ["2", "A", "n/a", ""])];
    const rowSha256 = rowSha256Of(csvRow(3, ["2", "A", "n/a", ""]));
    const { amend } = corrector(correction({ source: "customers", old: "n/a", rowSha256 }));
    expect(rows.map((row) => cellText(amend(row, "customers"), "NAME"))).toEqual(["n/a", "new"]);
  });

  test("with the hash of a row applies to all equal rows", () => {
    const rows = [csvRow(2, ["1", "A", "n/a", ""]), csvRow(3, ["1", "A", "n/a", ""])];
    const rowSha256 = rowSha256Of(csvRow(2, ["1", "A", "n/a", ""]));
    const { amend } = corrector(correction({ source: "customers", old: "n/a", rowSha256 }));
    expect(rows.map((row) => cellText(amend(row, "customers"), "NAME"))).toEqual(["new", "new"]);
  });

  test("with the hash of a row that has changed is outdated, even if another row has the new value", () => {
    const rowSha256 = rowSha256Of(csvRow(2, ["1", "A", "n/a", ""]));
    const { amend, results } = corrector(correction({ source: "customers", old: "n/a", rowSha256 }));
    const rows = [csvRow(2, ["1", "A", "new", ""]), csvRow(3, ["3", "A", "n/a", ""])];
    expect(rows.map((row) => cellText(amend(row, "customers"), "NAME"))).toEqual(["new", "n/a"]);
    expect([...results()]).toMatchObject([{ state: "outdated", place: { line: 3 } }]);
  });

  test("that would apply to a second row is refused with both places", () => {
    const { amend } = corrector(correction({ source: "customers", old: "n/a" }));
    amend(csvRow(2, ["1", "A", "n/a", ""]), "customers");
    amend(csvRow(2, ["1", "A", "n/a", ""]), "customers");
    expect(() => amend(csvRow(3, ["2", "A", "n/a", ""]), "customers")).toThrow(
      "fixes.csv:2: two rows have the key A and the old value of NAME: accounts.csv:2 and accounts.csv:3",
    );
  });

  test("fills a missing cell of a short row", () => {
    const { amend } = corrector(correction({ column: "MOBILE" }));
    expect(amend(csvRow(2, ["A"]), "accounts")).toMatchObject({ cells: ["A", "", "", "new"] });
  });

  test.each<readonly [what: string, old: JsonObject, text: string, replacement: JsonObject]>([
    ["a string", { name: "Ann" }, "Ann", { name: "new" }],
    ["a number", { name: 7 }, "7", { name: 8.5 }],
    ["null", { name: null }, "null", { name: false }],
    ["a missing member", {}, "", { name: "new" }],
  ])("replaces %s in JSON", (_, old, text, replacement) => {
    const value = cellText(jsonRow(1, replacement), "name") ?? "";
    const { amend } = corrector(correction({ column: "person.name", old: text, value }));
    expect(amend(jsonRow(1, { REF: "A", person: old }), "accounts")).toMatchObject({
      value: { REF: "A", person: replacement },
    });
  });

  test("replaces a number in JSON with a string that is not JSON", () => {
    const { amend } = corrector(correction({ column: "balance", old: "7", value: "n/a" }));
    expect(amend(jsonRow(1, { REF: "A", balance: 7 }), "accounts")).toMatchObject({ value: { balance: "n/a" } });
  });

  test("replaces an item of a list in JSON", () => {
    const { amend } = corrector(correction({ column: "phones.1", old: "2", value: "3" }));
    expect(amend(jsonRow(1, { REF: "A", phones: ["1", "2"] }), "accounts")).toMatchObject({
      value: { REF: "A", phones: ["1", "3"] },
    });
  });

  test("of a JSON value that an earlier correction has removed is refused with both places", () => {
    const { amend } = corrector(
      correction({ column: "lines", old: '["a","b"]', value: '["q"]' }),
      correction({ column: "lines.2", value: "z", line: 3 }),
    );
    expect(() => amend(jsonRow(1, { REF: "A", lines: ["a", "b"] }), "accounts")).toThrow(
      "fixes.csv:3: lines.2 of A does not exist after the correction of lines (fixes.csv:2)",
    );
  });

  test("for an unknown source or column is refused with a suggestion", () => {
    expect(() => corrector(correction({ source: "acounts" }))).toThrow('the mapping has no source "acounts"');
    const { amend } = corrector(correction({ column: "NAM" }));
    expect(() => amend(csvRow(2, ["A", "", "Ann", ""]), "accounts")).toThrow('no column "NAM" in accounts.csv');
  });
});

test("any set of corrections changes exactly the cells that they name", () => {
  const cell = fc.constantFrom("", "x", "y", "ä,\n", "'1");
  const rows = fc
    .uniqueArray(fc.tuple(fc.constantFrom("A", "B", "C", "D"), cell, cell, cell), { selector: ([key]) => key })
    .map((all) => all.map((cells, index) => csvRow(index + 2, cells)));
  fc.assert(
    fc.property(rows, fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 3 }), cell)), (all, changes) => {
      const wanted = new Map<string, readonly [row: number, column: number, value: string]>();
      for (const [row, column, value] of changes) wanted.set(`${row} ${column}`, [row, column, value]);
      const corrections = [...wanted.values()].flatMap(([at, column, value], index) => {
        const row = all[at];
        const name = COLUMNS[column] ?? "";
        return row === undefined
          ? []
          : [
              correction({
                key: row.cells[0] ?? "",
                column: name,
                old: row.cells[column] ?? "",
                value,
                line: index + 2,
              }),
            ];
      });
      const { amend, results } = corrector(...corrections);
      const amended = all.map((row): Row => amend(row, "accounts"));
      const expected = all.map((row, at) => {
        const cells = row.cells.map((old, column) => wanted.get(`${at} ${column}`)?.[2] ?? old);
        const isNamed = cells.some((_, column) => wanted.has(`${at} ${column}`));
        return { ...row, cells, ...(isNamed && { uncorrected: row }) };
      });
      expect(amended).toEqual(expected);
      expect([...results()].map(({ state }) => state)).toEqual(corrections.map(() => "applied"));
    }),
  );
});
