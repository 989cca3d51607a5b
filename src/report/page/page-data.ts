import type { Severity } from "../../model/problem.ts";

/** Data for the script of the page (`src/page/report.js`): the causes, in the order of their cards. */
export interface PageData {
  readonly showValues: boolean;
  readonly causes: readonly CauseData[];
}

export interface CauseData {
  readonly code: string;
  readonly attr: string;
  readonly words: string;
  readonly severity: Severity;
  /** Number of all problems, including those without a row on the page. */
  readonly problems: number;
  readonly places: readonly PlaceData[];
}

/** A place in the sources where problems of a cause occur. */
interface PlaceData {
  readonly file: string;
  /** The column's header; in a JSON source, the pointer with `*` for indexes; absent for a whole record. */
  readonly column?: string;
  readonly problems: number;
  /** The first rows of the place. */
  readonly rows: readonly RowData[];
}

export interface RowData {
  readonly record: number;
  readonly key?: string;
  readonly line: number;
  /** Present in a JSON source. */
  readonly pointer?: string;
  readonly shape?: string;
  /** Present with `--show-values`. */
  readonly value?: string;
  /** Description of the problem, if it differs from that of its cause. */
  readonly note?: string;
}
