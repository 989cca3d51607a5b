import { definedMembers } from "../json/defined-members.ts";
import { canonicalJson } from "../json/json-value.ts";
import { type CsvTable, isCsvRow, type JsonRow, type Row } from "../model/record.ts";
import type { SourceSpec } from "../model/source-spec.ts";
import { isEmptyRow } from "../read/csv/csv-rows.ts";
import type { OpenOptions } from "../read/input/opened-file.ts";
import { keyOf } from "../read/row/row-key.ts";
import { openSource, rowsOf, withDescendants } from "../read/input/opened-source.ts";
import type { ManifestFile } from "../report/rejects/rejects-manifest.ts";
import type { ReturnedRow } from "./correction-index.ts";
import { originalColumns } from "../report/rejects/reject-file.ts";
import { getOrAdd } from "../model/groups.ts";

/** Returns the columns (CSV) or paths (JSON) of a source that contain keys. */
export type KeyColumns = (source: string) => readonly string[];

interface ReturnedBatch {
  /** The rows that contain text. */
  readonly rows: readonly ReturnedRow[];
  /** Number of rows of CSV files without text, which spreadsheet programs add. */
  readonly emptyRows: number;
  /** The columns of the file that contains the rows; absent for JSON. */
  readonly columns?: { readonly file: string; readonly found: ReturnedColumns } | undefined;
}

/**
 * Yields the re-imported rows of all sources, without joining them and regardless of their keys.
 * @throws Failure for errors in the files
 */
export async function* returnedRows(
  plan: SourceSpec,
  originals: readonly ManifestFile[],
  { reading, keyColumns }: { readonly reading: OpenOptions; readonly keyColumns: KeyColumns },
): AsyncGenerator<ReturnedBatch> {
  for (const spec of withDescendants<SourceSpec>(plan)) {
    const keys = keyColumns(spec.name);
    const original = originals.find(({ source, kind }) => source === spec.name && kind === "csv")?.columns ?? [];
    const opened = await openSource(withoutJoin(spec), reading);
    const layouts = new Map<CsvTable, ReturnedColumns>();
    for await (const batch of rowsOf(opened)) {
      const [first] = batch;
      if (first === undefined) continue;
      const { row } = first;
      const found = isCsvRow(row)
        ? getOrAdd(layouts, row.table, () => returnedColumns(original, row.table))
        : undefined;
      const filled = batch.filter((read) => !isCsvRow(read.row) || !isEmptyRow(read.row.cells));
      const rows = filled.map((read) => returnedRow(read.row, spec.name, found, keys));
      yield { rows, emptyRows: batch.length - rows.length, columns: found && { file: row.table.file, found } };
    }
  }
}

/** Returns the source without its joins, so that its rows are read regardless of their keys. */
export function withoutJoin({ name, files, sheet, rename }: SourceSpec): SourceSpec {
  return { name, files, children: [], ...definedMembers({ sheet, rename }) };
}

function returnedRow(
  row: Row,
  source: string,
  found: ReturnedColumns | undefined,
  keys: readonly string[],
): ReturnedRow {
  const place = { source, file: row.table.file, line: row.line };
  const own = [...new Set(["migrate_key", ...keys].flatMap((name) => keyOf(row, name) ?? []))];
  if (!isCsvRow(row)) return { ...place, keys: own, values: memberTexts(row) };
  const positions = found?.positions ?? [];
  return {
    ...place,
    keys: own,
    values: positions.map((position) => {
      if (position === undefined) return null;
      return position === UNNAMED ? "" : (row.cells[position] ?? "");
    }),
  };
}

/** Returns the members of a JSON row as canonical JSON. */
export function memberTexts({ value }: JsonRow): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, canonicalJson(member)]));
}

/** The position of a column without a name, whose values are ignored. */
const UNNAMED = "unnamed";

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
function returnedColumns(original: readonly string[], table: CsvTable): ReturnedColumns {
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
