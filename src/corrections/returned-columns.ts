import type { CsvTable } from "../model/record.ts";
import { originalColumns } from "../report/rejects/reject-file.ts";

/** A column without a name: it holds nothing. */
export const UNNAMED = "unnamed";

/** How the columns of a file that came back lie against those that were handed out. */
export interface ReturnedColumns {
  /** For each original column, where it stands now (from 0); undefined where it is gone. */
  readonly positions: readonly (number | undefined | typeof UNNAMED)[];
  readonly renamed: readonly { readonly from: string; readonly to: string }[];
  readonly gone: readonly string[];
  readonly added: readonly string[];
}

/**
 * Finds the original columns by their names. A column whose name is gone is taken for renamed where a new name differs
 * only by case, spaces or marks, or stands in its place.
 */
export function returnedColumns(original: readonly string[], table: CsvTable): ReturnedColumns {
  const present = originalColumns(table);
  const missing = original.filter((column) => isNamed(column) && !table.columnIndex.has(column));
  const added = present.filter((column) => isNamed(column) && !original.includes(column));
  const renamed = missing.flatMap((from) => {
    const alike = added.find((to) => plainName(to) === plainName(from));
    const inPlace = added.find((to) => table.columns.indexOf(to) === original.indexOf(from));
    const to = alike ?? (present.length === original.length ? inPlace : undefined);
    return to === undefined ? [] : [{ from, to }];
  });
  const newNames = new Map(renamed.map(({ from, to }) => [from, to]));
  return {
    positions: original.map((column) =>
      isNamed(column) ? table.columnIndex.get(newNames.get(column) ?? column) : UNNAMED,
    ),
    renamed,
    gone: missing.filter((column) => !newNames.has(column)),
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
