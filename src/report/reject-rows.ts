import type { Outcome } from "../model/outcome.ts";
import type { Place } from "../model/place.ts";
import type { Problem } from "../model/problem.ts";
import { type InputRecord, isCsvRow, type Row } from "../model/row.ts";

/** A row of a record that needs work, with those of the record's problems that lie in it. */
export interface RejectRow {
  readonly row: Row;
  /** The child source that the row comes from; absent for a row of the root source. */
  readonly child?: string;
  readonly problems: readonly Problem[];
}

/**
 * All rows of a record, its own first, then those joined to it. A problem belongs to the row that its place lies in;
 * a problem with no place, or with a place in none of them, to the record's own row.
 */
export function rejectRows(record: InputRecord, { problems }: Outcome): readonly RejectRow[] {
  const rows = recordRows(record).map(opened);
  const byLine = new Map<string, OpenRow[]>();
  for (const entry of rows) {
    const key = lineKey(entry.row.table.file, entry.row.line);
    byLine.set(key, [...(byLine.get(key) ?? []), entry]);
  }
  for (const problem of problems) {
    const { place } = problem;
    const near = place === undefined ? [] : (byLine.get(lineKey(place.file, place.line)) ?? []);
    const home = near.find(({ row }) => place !== undefined && liesIn(place, row)) ?? rows[0];
    home?.problems.push(problem);
  }
  return rows;
}

interface OpenRow extends SourceRow {
  readonly problems: Problem[];
}

function opened(entry: SourceRow): OpenRow {
  return { ...entry, problems: [] };
}

type SourceRow = Omit<RejectRow, "problems">;

/** Every row of a record with its source: the record's own row, then its children, depth first. */
export function recordRows({ row, orphan, source }: InputRecord): readonly SourceRow[] {
  const rows: SourceRow[] = [orphan ? { row, child: source } : { row }];
  addChildren(rows, row);
  return rows;
}

function addChildren(rows: SourceRow[], { children }: Row): void {
  for (const [child, joined] of children ?? []) {
    for (const row of joined) {
      rows.push({ row, child });
      addChildren(rows, row);
    }
  }
}

function lineKey(file: string, line: number): string {
  return `${line} ${file}`;
}

/** Of rows on the same line of the same file. */
function liesIn({ pointer = "" }: Place, row: Row): boolean {
  return isCsvRow(row) || pointer === row.pointer || pointer.startsWith(`${row.pointer}/`);
}
