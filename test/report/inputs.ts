import type { JsonObject } from "../../src/json/json-value.ts";
import type { Outcome, Status } from "../../src/model/outcome.ts";
import type { Problem } from "../../src/model/problem.ts";
import type { CsvRow, CsvTable, InputRecord, JsonRow, Row } from "../../src/model/record.ts";

export function csvTable(file: string, columns: readonly string[]): CsvTable {
  return { kind: "csv", file, columns, columnIndex: new Map(columns.map((column, at) => [column, at])) };
}

export function csvRow(table: CsvTable, line: number, cells: readonly string[], children?: CsvRow["children"]): CsvRow {
  return { table, line, cells, ...(children && { children }) };
}

export function jsonRow(file: string, line: number, pointer: string, value: JsonObject): JsonRow {
  return { table: { kind: "json", file }, line, pointer, value };
}

/** Returns records of the root source `accounts`, numbered in order. */
export function recordsOf(rows: readonly Row[], first = 1): readonly InputRecord[] {
  return rows.map((row, at) => ({ number: first + at, source: "accounts", orphan: false, row, problems: [] }));
}

export function orphan(number: number, source: string, row: Row): InputRecord {
  return { number, source, orphan: true, row, problems: [] };
}

/** Returns the outcome of a record with or without problems. */
export function outcomeOf({ number, row }: InputRecord, problems: readonly Problem[] = [], status?: Status): Outcome {
  return {
    record: number,
    key: `K${number}`,
    source: { file: row.table.file, line: row.line },
    status: status ?? (problems.length > 0 ? "invalid" : "valid"),
    problems,
  };
}

export async function* batched<T>(items: readonly T[], size = 2): AsyncGenerator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

/** Returns the problem `required` at a row, or at the cell of a column. */
export function missing(attr: string, row: Row, column?: string): Problem {
  const cell = column === undefined ? {} : { column, columnNumber: 1 };
  return {
    attr,
    code: "required",
    severity: "error",
    by: "local",
    place: { file: row.table.file, line: row.line, ...cell },
  };
}
