import type { ChangeKind } from "./change-kind.ts";
import type { RowPlace } from "./correction-index.ts";

/** Cells that changed in the same way. */
export interface ChangedCells {
  readonly source: string;
  readonly column: string;
  readonly change: ChangeKind;
  readonly count: number;
  /** The first of them. */
  readonly place: RowPlace;
  /** What stood there, where it could be found again, and what stands there now. */
  readonly before: string | undefined;
  readonly after: string;
}

/** Rows of a source, and the first of them. */
export interface FoundRows {
  readonly source: string;
  readonly count: number;
  readonly place?: RowPlace;
  /** From 1, among the rows of the source that were handed out. */
  readonly number?: number;
}

interface ChangedColumns {
  readonly file: string;
  readonly columns: readonly string[];
}

/** What became of the rejects of a report until they came back. Nothing here grows with their number. */
export interface CorrectionFindings {
  readonly folder: string;
  readonly handedOut: number;
  /** Rows that came back. */
  readonly returned: number;
  /** Cells that had an error and have another value now. */
  readonly correctedCells: number;
  readonly correctedRows: number;
  /** Keys that changed, and were not restored. */
  readonly keys: readonly ChangedCells[];
  /** Keys that have their old value again, as the user asked. */
  readonly restored: readonly ChangedCells[];
  /** Other cells that changed although nothing was wrong with them. */
  readonly cells: readonly ChangedCells[];
  readonly added: readonly FoundRows[];
  /** Rows that are gone while others of their records are there. */
  readonly lost: readonly FoundRows[];
  /** Rows that are gone as a correction, or with their whole records. */
  readonly deleted: readonly FoundRows[];
  readonly lostRecords: number;
  readonly reordered: readonly FoundRows[];
  readonly renamed: readonly { readonly file: string; readonly from: string; readonly to: string }[];
  readonly gone: readonly ChangedColumns[];
  readonly newColumns: readonly ChangedColumns[];
}

/** Counts changed cells by what they have in common. */
export interface ChangeCounter {
  readonly add: (cell: Omit<ChangedCells, "count">) => void;
  /** Most frequent first. */
  readonly all: () => readonly ChangedCells[];
}

export function createChangeCounter(): ChangeCounter {
  const groups = new Map<string, ChangedCells>();
  return {
    add: (cell) => {
      const key = [cell.source, cell.column, cell.change].join("\0");
      const group = groups.get(key);
      groups.set(key, group === undefined ? { ...cell, count: 1 } : { ...group, count: group.count + 1 });
    },
    all: () => [...groups.values()].toSorted((one, other) => other.count - one.count),
  };
}
