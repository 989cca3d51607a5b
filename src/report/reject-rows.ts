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
  const rows = recordRows(record);
  const own = rows.map(({ row }) => problems.filter(({ place }) => place !== undefined && liesIn(place, row)));
  const placed = new Set(own.flat());
  const homeless = problems.filter((problem) => !placed.has(problem));
  return rows.map((entry, at) => ({ ...entry, problems: [...(at === 0 ? homeless : []), ...(own[at] ?? [])] }));
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

function liesIn(place: Place, row: Row): boolean {
  if (place.file !== row.table.file || place.line !== row.line) return false;
  if (isCsvRow(row)) return true;
  const pointer = place.pointer ?? "";
  return pointer === row.pointer || pointer.startsWith(`${row.pointer}/`);
}
