import type { Severity } from "../../model/problem.ts";

/** Data for the script of the page (`src/page/report.js`): the causes, in the order of their cards. */
export interface PageData {
  readonly showValues: boolean;
  readonly causes: readonly CauseData[];
}

interface CauseData extends FindingData {
  readonly severity: Severity;
  readonly places: readonly PlaceData[];
  /** Other findings in the same cells. */
  readonly also: readonly FindingData[];
}

export interface FindingData {
  readonly code: string;
  readonly attr: string;
  readonly title: string;
  readonly words: string;
  /** Number of cells with this finding, plus its problems without a cell. Some of them have no row on the page. */
  readonly count: number;
}

/** The problems of a cause in one column of a file, or at one path of a JSON file. */
export interface PlaceData {
  readonly file: string;
  /**
   * The header of the column. In a JSON source, the pointer with `*` instead of each index. Absent if the problem
   * concerns an entire record.
   */
  readonly column?: string;
  readonly count: number;
  /** The first rows with these problems. */
  readonly rows: readonly RowData[];
}

export interface RowData {
  readonly record: number;
  readonly key?: string;
  readonly line: number;
  /** Present only for a JSON source. */
  readonly pointer?: string;
  readonly shape?: string;
  /** Present only with `--show-values`. */
  readonly value?: string;
  /** Description of the problem, if it differs from the description of its cause. */
  readonly note?: string;
  /** Indexes of the other findings that this cell has. Absent if every cell of the cause has all of them. */
  readonly also?: readonly number[];
}
