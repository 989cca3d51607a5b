/**
 * Columns that a rejects file adds to describe the problems of a row. If the source is itself a rejects file, they
 * replace its columns of these names.
 */
export const PROBLEM_COLUMNS = ["migrate_key", "migrate_attr", "migrate_code", "migrate_detail"] as const;

/** The column of a workbook that contains the place of a row in its file. */
export const PLACE_COLUMN = "migrate_place";

const ADDED_COLUMNS: ReadonlySet<string> = new Set([...PROBLEM_COLUMNS, PLACE_COLUMN]);

/** Whether a column has the name of a column that `migrate` adds to rejects. */
export function isAddedColumn(name: string): boolean {
  return ADDED_COLUMNS.has(name);
}

/** Returns the cell and column counts of a ragged row, without the added columns. */
export function ownCounts(
  cells: number,
  columns: readonly string[],
): { readonly found: number; readonly expected: number } {
  const added = columns.filter(isAddedColumn).length;
  // If the row is too short to contain the added columns, its own cells cannot be distinguished from them.
  if (cells <= added) return { found: cells, expected: columns.length };
  return { found: cells - added, expected: columns.length - added };
}
