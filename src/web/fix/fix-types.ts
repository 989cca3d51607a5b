import type { ErrorDetails } from "../../model/failure.ts";

/** Data that the Fix page and the server exchange. Indexes of sources, columns and causes refer to the overview. */

/** The progress of a check, or its result. */
export type FixState =
  | { readonly status: "checking"; readonly records: number; readonly invalid: number }
  | { readonly status: "failed"; readonly error: ErrorDetails }
  | ({ readonly status: "ready" } & FixOverview);

/** The part of the overview that edits change. */
interface EditedOverview {
  readonly records: RecordCounts;
  /** The first cause is `ALL_CAUSES`. The other causes follow, in descending order of their number of rows. */
  readonly causes: readonly FixCause[];
  /** The name of a project file that has changed since the check; absent if no file has changed. */
  readonly changedFile?: string;
  readonly progress?: EditProgress;
  /** The earliest edit of many cells that an ended program left incomplete. */
  readonly unfinished?: UnfinishedEdit;
}

export interface FixOverview extends EditedOverview {
  /** The id of the session, which changes when the project is checked again. */
  readonly session: string;
  /** The number of the last change to a cell in this session. */
  readonly seq: number;
  /** The file that stores the corrections. */
  readonly file: string;
  /**
   * The number of records that the platform rejected in their last push, and whose content has changed since and is
   * now valid.
   */
  readonly resolvedRefusals: number;
  /** The version of the ledger when its rejections were read. `LiveData.version` is the current version. */
  readonly ledgerVersion: string;
  readonly sources: readonly FixSource[];
  readonly outdated: OutdatedCorrections;
  /** The 1-based number of the last line of the corrections file, if the line is incomplete and therefore ignored. */
  readonly incompleteLine?: number;
}

export interface EditProgress {
  /** The number of rows or cells done so far. */
  readonly done: number;
  readonly total: number;
}

export interface UnfinishedEdit {
  readonly source: string;
  readonly column: string;
  /** ISO 8601 UTC. Identifies the edit. */
  readonly at: string;
  /** The number of cells that are saved. */
  readonly saved: number;
}

/** The id that represents all causes together. */
export const ALL_CAUSES = 0;

export interface RecordCounts {
  /** The number of records that needed work when the project was checked. */
  readonly total: number;
  readonly open: number;
  /** The number of records with changes whose effect is known only after a check of all records. */
  readonly recheck: number;
}

export interface FixSource {
  readonly name: string;
  readonly columns: readonly string[];
  /**
   * Indexes of the columns that join, order or identify rows. The effect of a change to these columns is known only
   * after a check of all records.
   */
  readonly structural: readonly number[];
  /**
   * The values that a column can have, by the index of the column. Contains only columns whose values are all known.
   */
  readonly choices: Readonly<Record<number, readonly string[]>>;
}

export interface FixCause {
  readonly id: number;
  readonly title: string;
  /** The description of the problem. */
  readonly message: string;
  /** How to fix the problem. */
  readonly advice: string;
  readonly code: string;
  readonly attr: string;
  readonly by: "local" | "platform";
  /** The number of rows by source. Sources without rows are omitted. */
  readonly rows: readonly CauseRows[];
}

export interface CauseRows {
  readonly source: number;
  readonly rows: number;
  readonly open: number;
  /** The column with the most errors. */
  readonly column?: number;
}

/** Corrections that are not applied because their cells have changed since the correction. */
export interface OutdatedCorrections {
  readonly count: number;
  /** The first outdated corrections. */
  readonly listed: readonly {
    readonly line: number;
    readonly key: string;
    readonly source: string;
    readonly column: string;
    readonly place: string;
  }[];
}

/** One row of the grid. */
export interface FixRow {
  readonly id: number;
  /** The business key of the record, or the key of the row if the record has no business key. */
  readonly key: string;
  readonly file: string;
  readonly line: number;
  /**
   * The cells in the order of the columns; null if the row has no cell there, or if a number of the cell lost digits
   * when the file was read. Long values are cut off (`cut`).
   */
  readonly cells: readonly (string | null)[];
  /** Indexes of the columns whose values are cut off. */
  readonly cut?: readonly number[];
  readonly marks: readonly FixMark[];
  /** The corrected cells. */
  readonly edited: readonly { readonly column: number; readonly by: string; readonly at: string }[];
  readonly state: "open" | "fixed" | "recheck";
  /** The reason why no cell of the row can be corrected here, and what to do instead. */
  readonly locked?: string;
}

export interface FixMark {
  /** Absent if the problem concerns an entire row or record. */
  readonly column?: number;
  readonly severity: "error" | "warning";
  readonly by: "local" | "platform";
  readonly message: string;
  readonly advice: string;
  readonly cause: number;
}

/** Selects rows of one source. */
export interface RowFilter {
  readonly source: number;
  readonly cause: number;
}

/** The maximum number of cells in one request. */
export const MAX_EDITED_CELLS = 20_000;

/** New values for cells, by the position of the row among the rows that match the filter. */
export interface CellEdits extends RowFilter {
  readonly cells: readonly CellEdit[];
}

export interface CellEdit {
  readonly position: number;
  readonly column: number;
  /** The new value; null restores the extract's value. */
  readonly value: string | null;
}

/** Copies the cells of the row at `first` to the following rows, up to and including `last`. */
export interface FillDown extends RowFilter {
  readonly columns: readonly number[];
  readonly first: number;
  readonly last: number;
}

/**
 * A new value for a column in the open rows that match the filter. If `from` is null, replaces the value in all these
 * rows. Otherwise, replaces only the value `from`.
 */
export interface Replacement extends RowFilter {
  readonly column: number;
  readonly from: string | null;
  readonly value: string;
}

/** A distinct value of a column, and the number of rows that have it. */
export interface ValueCount {
  readonly value: string;
  readonly count: number;
}

/** The browser tab that edits a cell, and the number of the last change that the tab has received. */
export interface Editor {
  readonly tab: string;
  readonly seen: number;
}

export interface ChangedRows {
  /** The rows of changed records, up to a limit. `hasMoreRows` states whether there are more. */
  readonly rows: readonly FixRow[];
  readonly hasMoreRows: boolean;
}

/** The changes since a tab last read the session. */
export interface FixChanges extends ChangedRows {
  readonly seq: number;
  readonly overview: EditedOverview;
}

export interface EditedCells {
  /** The number of cells whose new values are on disk. */
  readonly saved: number;
  /** The number of cells that were not changed. `refusals` lists the first of them. */
  readonly refused: number;
  readonly refusals: readonly Refusal[];
}

export interface EditResult extends FixChanges, EditedCells {}

/** The complete value of a cell. */
export interface CellText {
  readonly value: string;
}

/** A cell that was not changed. */
export interface Refusal {
  readonly key: string;
  readonly column: string;
  /**
   * - `locked`: no correction can identify the row, or no correction can fix the problem
   * - `edited`: another tab or user has changed the cell
   * - `source_changed`: the value of the cell in the extract has changed
   */
  readonly reason: "locked" | "edited" | "source_changed";
  readonly message: string;
}
