import type { NumberRank } from "../json/number-rank.ts";

/** The files that contain the rows of a source, and how the sources are joined. */
export interface SourceSpec {
  /** The source's name in the mapping. */
  readonly name: string;
  /** Paths and globs, already resolved against their base folder; `-` is stdin, `book.xlsx#Customers` a sheet. */
  readonly files: readonly string[];
  /** The sheet to read from workbooks; default: the first visible sheet. */
  readonly sheet?: string;
  /** Column (CSV) or path (JSON) of the key that children join on; its values must be unique. */
  readonly key?: string;
  /** Maps the 1-based number of a column (CSV) to the name that replaces the name in the header. */
  readonly rename?: ReadonlyMap<number, string>;
  readonly children: readonly ChildSpec[];
}

export interface ChildSpec extends SourceSpec {
  /** Column of this source that contains the value of the parent's column `parentKey`. */
  readonly on: string;
  /** Column of the parent; its values need not be unique. Default: the parent's `key`. */
  readonly parentKey?: string;
  /** How the rows of one parent are ordered. Default: file order. */
  readonly orderBy?: RowOrder;
  /** Excludes rows whose cells are all the same as in an earlier row of the same parent. */
  readonly distinct?: boolean;
  /** Selects one of several rows of a parent. */
  readonly pick?: RowChoice;
}

export interface RowOrder {
  readonly column: string;
  /** Required type of the cells. Default: numbers if the rows of a parent have only numbers, otherwise text. */
  readonly cells?: OrderedCells;
}

/** A sort key. The keys of the rows of one parent are either all text or all numbers. */
export type Rank = string | NumberRank;

export interface OrderedCells {
  /** The required notation of a cell, in words: `a number`. */
  readonly wanted: string;
  /** Returns the sort key of a cell; `undefined` if the cell does not have the required notation. */
  readonly rank: (text: string) => Rank | undefined;
}

export interface RowChoice {
  readonly take: "first" | "last";
  /** Default: file order. */
  readonly by?: RowOrder;
  /** Column that groups the rows: one row per value is selected. Default: one row per parent. */
  readonly per?: string;
}
