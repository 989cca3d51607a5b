import type { CellEdit, FixRow, FixSource } from "../../../fix/fix-types.ts";
import type { RowCache } from "./row-cache.ts";

/** A cell by its position, and its row if it is loaded. */
export interface ActiveCell {
  readonly position: number;
  /** Index of the column of the source; absent for the cell that names the row. */
  readonly column?: number;
  readonly row: FixRow | undefined;
}

export interface GridOptions {
  readonly source: FixSource;
  readonly rows: RowCache;
  readonly areValuesShown: boolean;
  readonly onActive: (cell: ActiveCell | undefined) => void;
  readonly onEdit: (cells: readonly CellEdit[]) => void;
  readonly onFill: (columns: readonly number[], first: number, last: number) => void;
  readonly onUndo: () => void;
  readonly onMessage: (message: string) => void;
}
