import type { Severity } from "../../model/problem.ts";

/** What the script of the page reads (`src/page/report.js`): the causes, in the order of their cards. */
export interface PageData {
  readonly showValues: boolean;
  readonly causes: readonly CauseData[];
}

export interface CauseData {
  readonly code: string;
  readonly attr: string;
  readonly words: string;
  readonly severity: Severity;
  /** Problems in all, those without a row on the page among them. */
  readonly problems: number;
  readonly places: readonly PlaceData[];
}

/** Where in the sources the problems of a cause stand. */
interface PlaceData {
  readonly file: string;
  /** The column's header; in a JSON source the pointer with `*` for indexes; absent for a whole record. */
  readonly column?: string;
  readonly problems: number;
  /** The first of them. */
  readonly rows: readonly RowData[];
}

export interface RowData {
  readonly record: number;
  readonly key?: string;
  readonly line: number;
  /** In a JSON source. */
  readonly pointer?: string;
  readonly shape?: string;
  /** With `--show-values`. */
  readonly value?: string;
  /** The problem in words, where they are not those of its cause. */
  readonly note?: string;
}
