import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { Problem } from "../../../model/problem.ts";
import type { Row } from "../../../model/record.ts";
import { cellText } from "../../../read/corrections/correction.ts";
import type { EditTargets } from "../edits/edit-cells.ts";
import type { CellTarget } from "../edits/plan-cells.ts";
import type { ChangedRows, FixRow, FixSource, RowFilter, ValueCount } from "../fix-types.ts";
import type { Job } from "../../../job/job.ts";
import { exactText, problemsOf, rowView, type ViewParts } from "./row-view.ts";
import { storedRow } from "./session-rows.ts";

const ROWS = `select row.*, record.key as record_key, record.state as state
  from row join record on record.id = row.record`;

/** The maximum number of changed rows in a reply. */
const MAX_CHANGED = 500;
const MAX_VALUES = 200;
const MAX_DISTINCT = 20_000;
const ROWS_PER_TURN = 1000;

export interface RowRange extends RowFilter {
  readonly from: number;
  readonly count: number;
}

export function rowsIn(
  { source, cause, from, count }: RowRange,
  parts: ViewParts,
  showValues: boolean,
): readonly FixRow[] {
  const sql = `${ROWS} join listed on listed.row = row.id
    where listed.source = ? and listed.cause = ? and position >= ? and position < ? order by position`;
  const found = parts.store.all(sql, source, cause, from, from + count);
  return found.map((each) => rowView(each, parts, showValues));
}

/** Returns the rows of the records with cells that were changed after `seen`. */
export function rowsChangedSince(seen: number, parts: ViewParts, showValues: boolean): ChangedRows {
  const sql = `${ROWS} where exists (select 1 from cause_row where cause_row.row = row.id)
    and row.record in (select distinct changed.record from touched join row as changed on changed.id = touched.row
      where seq > ? limit ?) order by row.id limit ?`;
  const found = parts.store.all(sql, seen, MAX_CHANGED + 1, MAX_CHANGED + 1);
  const rows = found.slice(0, MAX_CHANGED).map((each) => rowView(each, parts, showValues));
  return { rows, hasMoreRows: found.length > MAX_CHANGED };
}

/** Called with the number of rows done so far and the total. */
type OnProgress = (done: number, total: number) => void;

/**
 * Yields the rows that match a filter and still have the cause. Yields to the event loop after each group of rows, so
 * that the server can answer other requests.
 */
async function* openRows(
  filter: RowFilter,
  parts: ViewParts,
  onProgress: OnProgress = () => undefined,
): AsyncGenerator<{
  readonly id: number;
  readonly row: Row;
  readonly problems: readonly Problem[];
}> {
  const { source, cause } = filter;
  const { store, rows, amend } = parts;
  const total = listedCount(filter, parts);
  const sql = `select row.* from listed join cause_row using (row, cause) join row on row.id = listed.row
    where listed.source = ? and listed.cause = ? and position >= ? and position < ? and cause_row.open = 1
    order by position`;
  for (let from = 0; from < total; from += ROWS_PER_TURN) {
    onProgress(from, total);
    for (const each of store.all(sql, source, cause, from, from + ROWS_PER_TURN)) {
      const stored = storedRow(each, rows);
      yield { id: stored.id, row: amend(stored), problems: problemsOf(each) };
    }
    await yieldToEventLoop();
  }
}

/** Returns the most frequent values of a column in the open rows that match a filter, with their counts. */
export async function valuesUnder(filter: RowFilter, column: string, parts: ViewParts): Promise<readonly ValueCount[]> {
  const counts = new Map<string, number>();
  for await (const { row, problems } of openRows(filter, parts)) {
    const value = exactText(row, column, problems);
    if (value === undefined || (counts.size >= MAX_DISTINCT && !counts.has(value))) continue;
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, MAX_VALUES);
}

/**
 * Selects the cells of a column that have the value `from`, in the open rows that match a filter. If `from` is null,
 * selects all cells of the column in these rows.
 */
export function targetsUnder(
  filter: RowFilter,
  { column, from, value }: { readonly column: string; readonly from: string | null; readonly value: string },
  parts: ViewParts & { readonly onProgress: OnProgress },
): EditTargets {
  const each = async function* (): AsyncGenerator<CellTarget> {
    for await (const { id, row } of openRows(filter, parts, parts.onProgress))
      if (from === null || cellText(row, column) === from) yield { row: id, column, value };
  };
  return { count: listedCount(filter, parts), valueBytes: Buffer.byteLength(value), each };
}

/** Returns the number of rows that match a filter. */
export function listedCount({ source, cause }: RowFilter, { store }: ViewParts): number {
  const last = store.one("select max(position) as last from listed where source = ? and cause = ?", source, cause);
  return 1 + Number(last?.["last"] ?? -1);
}

/** Returns the id of the stored row at a position among the rows that match a filter; undefined after the last row. */
export function rowAt({ source, cause }: RowFilter, position: number, { store }: ViewParts): number | undefined {
  const sql = "select row from listed where source = ? and cause = ? and position = ?";
  const found = store.one(sql, source, cause, position);
  return found && Number(found["row"]);
}

interface CurrentRow {
  readonly source: number;
  /** Returns the value of a cell; undefined in the same cases as `exactText`. */
  readonly textIn: (column: string) => string | undefined;
}

/** Returns the row with this id, with its corrections applied; undefined if there is no such row. */
export function currentRow(id: number, { store, rows, amend }: ViewParts): CurrentRow | undefined {
  const found = store.one("select * from row where id = ?", id);
  if (found === undefined) return undefined;
  const stored = storedRow(found, rows);
  const row = amend(stored);
  return { source: stored.source, textIn: (column) => exactText(row, column, problemsOf(found)) };
}

export function sourcesOf({ rows: { sources } }: ViewParts, { mapping }: Job): readonly FixSource[] {
  return sources.map(({ spec: { name }, columns, structural }) => {
    const choices = mapping.choices.get(name);
    const known = columns.flatMap((column, index) => {
      const values = choices?.get(column);
      return values === undefined ? [] : [[index, values] as const];
    });
    return {
      name,
      columns: [...columns],
      structural: columns.flatMap((column, index) => (structural.has(column) ? [index] : [])),
      choices: Object.fromEntries(known),
    };
  });
}
