import type { LocalProblem } from "../model/problem.ts";
import type { CsvTable, JsonTable, Row } from "../model/row.ts";
import { isCsvRow } from "../model/row.ts";
import type { JsonObject } from "../model/json.ts";
import type { OpenedFile } from "./opened-file.ts";
import { NO_PROBLEMS } from "./read-row.ts";
import type { ReadRow } from "./read-row.ts";

/** Rows as text and back, for the rows of one source. */
export interface RowText {
  readonly write: (read: ReadRow) => string;
  readonly parse: (text: string) => ReadRow;
}

type Written =
  | readonly [table: number, line: number, cells: readonly string[], problems?: readonly LocalProblem[]]
  | readonly [table: number, line: number, value: JsonObject, pointer: string, problems?: readonly LocalProblem[]];

export function rowText(files: readonly OpenedFile[]): RowText {
  const tables = files.map((opened): CsvTable | JsonTable =>
    opened.kind === "csv" ? opened.layout.table : opened.table,
  );
  return {
    write: ({ row, problems }) => JSON.stringify(written(tables.indexOf(row.table), row, problems)),
    parse: (text) => {
      const stored: Written = JSON.parse(text);
      const table = tables[stored[0]];
      if (table === undefined) throw new Error("a stored row belongs to no file of its source");
      return readBack(table, stored);
    },
  };
}

function written(table: number, row: Row, problems: readonly LocalProblem[]): Written {
  const more = problems.length === 0 ? ([] as const) : ([problems] as const);
  return isCsvRow(row) ? [table, row.line, row.cells, ...more] : [table, row.line, row.value, row.pointer, ...more];
}

function readBack(table: CsvTable | JsonTable, stored: Written): ReadRow {
  const [, line, content, third, fourth] = stored;
  if (table.kind === "csv" && isCells(content)) {
    return { row: { table, line, cells: content }, problems: isProblems(third) ? third : NO_PROBLEMS };
  }
  if (table.kind === "json" && !isCells(content) && typeof third === "string") {
    return { row: { table, line, value: content, pointer: third }, problems: fourth ?? NO_PROBLEMS };
  }
  throw new Error("a stored row does not fit its file");
}

function isCells(content: readonly string[] | JsonObject): content is readonly string[] {
  return Array.isArray(content);
}

function isProblems(value: string | readonly LocalProblem[] | undefined): value is readonly LocalProblem[] {
  return Array.isArray(value);
}
