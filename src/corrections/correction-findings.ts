import type { ChangeKind } from "./change-kind.ts";
import type { Place } from "../model/place.ts";

export interface ChangedCell {
  readonly source: string;
  readonly column: string;
  readonly change: ChangeKind;
  readonly place: Place;
  /** The previous value, if it could be reconstructed, and the current value. */
  readonly before: string | undefined;
  readonly after: string;
}

/** Cells that changed in the same way: their number, and the first of these cells. */
export interface ChangedCells extends ChangedCell {
  readonly count: number;
}

/** Rows of a source: their number, and the first of these rows. */
export interface FoundRows {
  readonly source: string;
  readonly count: number;
  readonly place?: Place;
  /** 1-based position among the exported rows of the source. */
  readonly number?: number;
}

interface ChangedColumns {
  readonly file: string;
  readonly columns: readonly string[];
}

export interface CellFindings {
  /** Number of changed cells that count as corrections (`openCellChanges`). */
  readonly correctedCells: number;
  /** Number of rows with such cells. */
  readonly correctedRows: number;
  /** Keys that changed and were not restored. */
  readonly keys: readonly ChangedCells[];
  /** Keys that were restored to their previous value at the user's request. */
  readonly restored: readonly ChangedCells[];
  /** Other cells that changed even though they had no errors. */
  readonly cells: readonly ChangedCells[];
}

export interface RowFindings {
  readonly exportedRows: number;
  /** Number of re-imported rows. */
  readonly returned: number;
  readonly added: readonly FoundRows[];
  /** Missing rows of records that are otherwise present. */
  readonly lost: readonly FoundRows[];
  /** Rows that were removed as a correction, or together with all other rows of their records. */
  readonly deleted: readonly FoundRows[];
  /** Number of missing records. Excludes records that only repeat a record that was sent or is present. */
  readonly lostRecords: number;
  readonly reordered: readonly FoundRows[];
  /**
   * The reordered rows that change the order of a list in a payload: rows that now follow a row of their own record, in
   * a source whose rows are joined in file order.
   */
  readonly listOrder: readonly FoundRows[];
}

export interface ColumnFindings {
  readonly renamed: readonly { readonly file: string; readonly from: string; readonly to: string }[];
  readonly missingColumns: readonly ChangedColumns[];
  readonly newColumns: readonly ChangedColumns[];
}

/** The changes to the rejects of a report between export and re-import, grouped so that memory use is limited. */
export interface CorrectionFindings extends CellFindings, RowFindings, ColumnFindings {
  readonly folder: string;
  /** Number of ignored rows without text. */
  readonly emptyRows: number;
}

/** Counts changed cells, grouped by source, column and kind of change. */
export interface ChangeCounter {
  readonly add: (cell: ChangedCell) => void;
  /** Returns all groups, most frequent first. */
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
