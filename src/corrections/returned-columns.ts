import type { CsvTable } from "../model/record.ts";
import { originalColumns } from "../report/rejects/reject-file.ts";

/** The position of a column without a name, whose values are ignored. */
export const UNNAMED = "unnamed";

/** How the columns of a re-imported file map to the exported columns. */
export interface ReturnedColumns {
  /** The current 0-based position of each original column; undefined for a removed column. */
  readonly positions: readonly (number | undefined | typeof UNNAMED)[];
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
  readonly missing: readonly string[];
  readonly added: readonly string[];
}

/**
 * Finds the original columns by name. A missing column counts as renamed if the name of a new column differs only in
 * case, spaces or punctuation. In a file with the same number of columns, it also counts as renamed if a new column is
 * at its position.
 */
export function returnedColumns(original: readonly string[], table: CsvTable): ReturnedColumns {
  const current = originalColumns(table);
  const missing = original.filter((column) => isNamed(column) && !table.columnIndex.has(column));
  const added = current.filter((column) => isNamed(column) && !original.includes(column));
  const renamed = missing.flatMap((from) => {
    const similar = added.find((to) => plainName(to) === plainName(from));
    const inPlace = added.find((to) => table.columns.indexOf(to) === original.indexOf(from));
    const to = similar ?? (current.length === original.length ? inPlace : undefined);
    return to === undefined ? [] : [{ from, to }];
  });
  const newNames = new Map(renamed.map(({ from, to }) => [from, to]));
  return {
    positions: original.map((column) =>
      isNamed(column) ? table.columnIndex.get(newNames.get(column) ?? column) : UNNAMED,
    ),
    renamed,
    missing: missing.filter((column) => !newNames.has(column)),
    added: added.filter((column) => renamed.every(({ to }) => to !== column)),
  };
}

function plainName(name: string): string {
  return name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
}

function isNamed(column: string): boolean {
  return column.trim() !== "";
}
