import type { CellEdit, FixRow, FixSource } from "../../../fix/fix-types.ts";
import type { Draft } from "./drafts.ts";
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
  /** Called when a cell editor opens. The editor ends the draft when it closes. */
  readonly startDraft: () => Draft;
  /** @param draft the draft of the cell editor that contains the value */
  readonly onEdit: (cells: readonly CellEdit[], draft?: Draft) => void;
  readonly onFill: (columns: readonly number[], first: number, last: number) => void;
  readonly onUndo: () => void;
  readonly onMessage: (message: string) => void;
}
