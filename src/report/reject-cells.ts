import type { CsvRow, CsvTable } from "../model/row.ts";
import type { Problem } from "../model/problem.ts";
import { withoutFormula } from "./csv-text.ts";
import { wordsFor } from "./words.ts";

/** The columns that tell what is wrong with a row; a file that has them already is not given them twice. */
export const MIGRATE_COLUMNS = ["migrate_key", "migrate_attr", "migrate_code", "migrate_detail"] as const;

const IS_OURS: ReadonlySet<string> = new Set(MIGRATE_COLUMNS);

/** The columns of the original extract. */
export function originalColumns({ columns }: CsvTable): readonly string[] {
  return columns.filter((column) => !IS_OURS.has(column));
}

/**
 * The row's own cells, exactly as they were read, under `columns`; cells of columns that its file lacks are empty.
 * A ragged row keeps its cells in their order and stays ragged, so that it is reported again until it is mended.
 */
export function originalCells({ cells, table }: CsvRow, columns: readonly string[]): readonly string[] {
  if (cells.length === table.columns.length)
    return columns.map((column) => cells[table.columnIndex.get(column) ?? -1] ?? "");
  const ours = table.columns.filter((column) => IS_OURS.has(column)).length;
  const kept = cells.slice(0, Math.max(cells.length - ours, 0));
  return kept.length === columns.length ? [...kept, ""] : kept;
}

/** What stands under `MIGRATE_COLUMNS`: the problems in one order, those of one row separated by " | ". */
export function migrateCells(key: string | undefined, problems: readonly Problem[]): readonly string[] {
  return [
    key ?? "",
    problems.map(({ attr }) => attr).join(SEPARATOR),
    problems.map(({ code }) => code).join(SEPARATOR),
    problems.map(wordsFor).join(SEPARATOR),
  ].map(withoutFormula);
}

const SEPARATOR = " | ";
