import type { ErrorDetails } from "../error-data.ts";

/** What the Fix page receives. Indexes of sources, columns and causes are those of the overview. */

/** The progress of a check, or its result. */
export type FixState =
  | { readonly status: "checking"; readonly records: number; readonly invalid: number }
  | { readonly status: "failed"; readonly error: ErrorDetails }
  | ({ readonly status: "ready" } & FixOverview);

export interface FixOverview {
  /** Changes when the project is checked again. */
  readonly session: string;
  /** The number of the last change to a cell in this session. */
  readonly seq: number;
  /** The file that stores the corrections. */
  readonly file: string;
  readonly records: RecordCounts;
  readonly sources: readonly FixSource[];
  /** The first one is `ALL_CAUSES`; the others are ordered by the number of rows. */
  readonly causes: readonly FixCause[];
  readonly outdated: OutdatedCorrections;
  /** Why the rows may no longer be those of the files; absent if they are. */
  readonly changedFile?: string;
  /** An edit that is in progress. */
  readonly progress?: EditProgress;
  /** The first edit of many cells that a program had not finished when it ended. */
  readonly unfinished?: UnfinishedEdit;
  /** A line of the corrections file that is incomplete and ignored. */
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

/** The identifier for all causes together. */
export const ALL_CAUSES = 0;

export interface RecordCounts {
  /** Records that needed work when the project was checked. */
  readonly total: number;
  readonly open: number;
  /** Changed in a way that only a check of all records can judge. */
  readonly recheck: number;
}

export interface FixSource {
  readonly name: string;
  readonly columns: readonly string[];
  /** Indexes of the columns that join or identify rows: only a check of all records can judge a change to them. */
  readonly structural: readonly number[];
  /** The values that a column can have, by the index of the column, if all of them are known. */
  readonly choices: Readonly<Record<number, readonly string[]>>;
}

export interface FixCause {
  readonly id: number;
  readonly title: string;
  /** What is wrong, and what to do. */
  readonly message: string;
  readonly advice: string;
  readonly code: string;
  readonly attr: string;
  readonly by: "local" | "platform";
  /** Rows by the index of the source; sources without rows are omitted. */
  readonly rows: readonly CauseRows[];
}

export interface CauseRows {
  readonly source: number;
  readonly rows: number;
  readonly open: number;
  /** The column of most of the errors. */
  readonly column?: number;
}

/** Corrections that are not applied, because the cell has changed since. */
export interface OutdatedCorrections {
  readonly count: number;
  /** The first of them. */
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
  /** The business key of its record, or the key of the row. */
  readonly key: string;
  readonly file: string;
  readonly line: number;
  /** In the order of the columns; null if the file has no such column. Long values are cut off (`cut`). */
  readonly cells: readonly (string | null)[];
  /** Columns whose value is cut off. */
  readonly cut?: readonly number[];
  readonly marks: readonly FixMark[];
  /** Corrected cells. */
  readonly edited: readonly FixEdit[];
  readonly state: "open" | "fixed" | "recheck";
  /** Why no cell of the row can be corrected here, and what to do. */
  readonly locked?: string;
}

export interface FixMark {
  /** Absent for a problem of the whole row or record. */
  readonly column?: number;
  readonly severity: "error" | "warning";
  readonly by: "local" | "platform";
  readonly message: string;
  readonly advice: string;
  readonly cause: number;
}

interface FixEdit {
  readonly column: number;
  readonly by: string;
  readonly at: string;
}

/** Selects rows of one source. */
export interface RowFilter {
  readonly source: number;
  readonly cause: number;
}

/** New values for cells, by the position of the row under the filter. */
export interface CellEdits extends RowFilter {
  readonly cells: readonly CellEdit[];
}

export interface CellEdit {
  readonly position: number;
  readonly column: number;
  /** null: the value of the extract. */
  readonly value: string | null;
}

/** Copies the cells of the row at `first` to the rows up to `last`. */
export interface FillDown extends RowFilter {
  readonly columns: readonly number[];
  readonly first: number;
  readonly last: number;
}

/** A new value for all cells of a column under the filter, or for those with the value `from`. */
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

/** Who edits: a tab of the browser, and the last change that it knows. */
export interface Editor {
  readonly tab: string;
  readonly seen: number;
}

/** What has changed since an editor has seen the session. */
export interface FixChanges {
  readonly seq: number;
  /** The changed rows, unless there are too many. */
  readonly rows: readonly FixRow[];
  readonly hasMoreRows: boolean;
  readonly overview: Pick<FixOverview, "records" | "causes" | "changedFile" | "progress" | "unfinished">;
}

export interface EditResult extends FixChanges {
  /** The number of cells whose new value is on the disk. */
  readonly saved: number;
  /** The number of cells that were not changed, and the first of them. */
  readonly refused: number;
  readonly refusals: readonly Refusal[];
}

/** The whole value of a cell. */
export interface CellText {
  readonly value: string;
}

/** A cell that was not changed. */
export interface Refusal {
  readonly key: string;
  readonly column: string;
  /**
   * - `locked`: a correction cannot name the row, or cannot help
   * - `edited`: another tab or user has changed the cell
   * - `source_changed`: the cell in the extract has another value now
   */
  readonly reason: "locked" | "edited" | "source_changed";
  readonly message: string;
}
