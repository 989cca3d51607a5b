import { describe, expect, test } from "vitest";
import type { Mapping } from "../../src/map/mapping.ts";
import { anything, compile, csvRow, failureOf, integer, jsonRow, NO_VALUES, object, table, text } from "./rows.ts";

const body = object({ "id!": text, age: integer, extra: anything });

function mappingWith(asOf: string, values = NO_VALUES): Mapping {
  return compile(
    `sources:\n  accounts:\n    key: ID\n    asOf: ${asOf}\npayload: { id: ID, age: AGE }\n`,
    body,
    values,
  );
}

const COLUMN = "{ column: CHANGED, date: dd/MM/yyyy }";
const FILE_NAME = "{ fileName: yyyy-MM-dd }";
const FILE_DATE = "{ fileModified: true }";
const COLUMNS = ["ID", "AGE", "CHANGED"];

const rowIn = (file: string, modifiedMs?: number) =>
  csvRow({ ...table(file, COLUMNS), ...(modifiedMs !== undefined && { modifiedMs }) }, 2, ["1", "", "26/11/2026"]);

describe("the date of a row's content", () => {
  test("is absent without `asOf`", () => {
    const mapping = compile("payload: { id: ID }", body);
    expect(mapping).not.toHaveProperty("asOf");
    expect(mapping.map(rowIn("a.csv", 5))).toEqual({ key: "1", payload: { id: "1" }, problems: [] });
  });

  test.each([
    [COLUMN, "CHANGED"],
    [FILE_NAME, undefined],
    [FILE_DATE, undefined],
  ])("comes from a column only if `asOf` names one: %s, %s", (asOf, column) => {
    expect(mappingWith(asOf).asOf).toEqual({ column });
  });

  test("is read from the trimmed cell, in addition to the payload", () => {
    const row = csvRow(table("a.csv", COLUMNS), 2, ["1", "7", " 26/11/2026 "]);
    expect(mappingWith(COLUMN).map(row)).toEqual({
      key: "1",
      payload: { id: "1", age: 7 },
      problems: [],
      asOf: Date.UTC(2026, 10, 26),
    });
  });

  test.each(["", "26.11.2026", "31/02/2026"])("causes a problem in its row if the cell is %j", (cell) => {
    const mapped = mappingWith(COLUMN).map(csvRow(table("a.csv", COLUMNS), 7, ["1", "x", cell]));
    expect(mapped).not.toHaveProperty("asOf");
    expect(mapped.payload).toEqual({ id: "1", age: "x" });
    expect(mapped.problems).toEqual([
      expect.objectContaining({ attr: "age", code: "invalid" }),
      {
        attr: "non_field_errors",
        severity: "error",
        by: "local",
        code: "source_bad_as_of",
        wanted: "a valid date, written as dd/MM/yyyy",
        place: { file: "a.csv", line: 7, column: "CHANGED", columnNumber: 3 },
      },
    ]);
  });

  test("cannot be an object of a JSON source", () => {
    const { problems } = mappingWith(COLUMN).map(jsonRow({ ID: "1", CHANGED: { on: "26/11/2026" } }));
    expect(problems).toMatchObject([{ code: "source_bad_as_of", place: { pointer: "/0/CHANGED" } }]);
  });

  test("requires its column in every file", () => {
    const row = csvRow(table("a.csv", ["ID", "AGE"]), 2, ["1", ""]);
    expect(failureOf(() => mappingWith(COLUMN).map(row)).message).toBe(
      'a.csv: no column "CHANGED" (mapping.yaml:4), which the mapping reads',
    );
  });

  test("is read from the file name, without its folders", () => {
    const row = rowIn("2020-01-01/extract/accounts-2026-11-26.csv");
    expect(mappingWith(FILE_NAME).map(row)).toEqual({
      key: "1",
      payload: { id: "1" },
      problems: [],
      asOf: Date.UTC(2026, 10, 26),
    });
    expect(mappingWith(FILE_NAME).map(rowIn("2026-11-26.csv")).asOf).toBe(Date.UTC(2026, 10, 26));
  });

  test("must be in the name of every file", () => {
    const file = "2026-11-26/accounts.csv";
    expect(failureOf(() => mappingWith(FILE_NAME).map(rowIn(file)))).toMatchObject({
      code: "mapping_invalid",
      message: `${file}: the file name must contain exactly one valid date, written as yyyy-MM-dd`,
      hint: "rename the file, or change `asOf` in the mapping",
    });
  });

  test.each([
    [0, 0],
    [999, 0],
    [1_764_115_200_000, 1_764_115_200_000],
    [1_764_115_201_999.5, 1_764_115_201_000],
  ])("is the modification date of the file without fractions of seconds: %d", (modifiedMs, asOf) => {
    expect(mappingWith(FILE_DATE).map(rowIn("accounts-2020-01-01.csv", modifiedMs))).toEqual({
      key: "1",
      payload: { id: "1" },
      problems: [],
      asOf,
    });
  });

  test("cannot be the modification date of standard input", () => {
    expect(failureOf(() => mappingWith(FILE_DATE).map(rowIn("(standard input)")))).toMatchObject({
      code: "mapping_invalid",
      message: "(standard input): standard input has no modification date, which `asOf` requires",
      hint: "save the data to a file, or use a column for `asOf` in the mapping",
    });
  });

  test.each([FILE_NAME, FILE_DATE])("is absent for re-imported rejects with %s", (asOf) => {
    const mapping = mappingWith(asOf, { ...NO_VALUES, isReimport: true });
    expect(mapping).not.toHaveProperty("asOf");
    expect(mapping.map(rowIn("rejects-2026-11-27.csv", 5))).not.toHaveProperty("asOf");
  });

  test("is read from the column of re-imported rejects", () => {
    const mapping = mappingWith(COLUMN, { ...NO_VALUES, isReimport: true });
    expect(mapping.map(rowIn("rejects.csv")).asOf).toBe(Date.UTC(2026, 10, 26));
  });
});
