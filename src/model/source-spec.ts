/** Which files hold the rows of a source, and how the sources hang together. */
export interface SourceSpec {
  /** The source's name in the mapping. */
  readonly name: string;
  /** Paths and globs, already resolved against the folder they are relative to; `-` is stdin, `book.xlsx#Customers` a sheet. */
  readonly files: readonly string[];
  /** The sheet of its workbooks; default: the first. */
  readonly sheet?: string;
  /** Column (CSV) or path (JSON) of the key that children join on, and that must be unique. */
  readonly key?: string;
  /** 1-based number of a column (CSV) -> its name, in place of the one in the header. */
  readonly rename?: ReadonlyMap<number, string>;
  readonly children: readonly ChildSpec[];
}

export interface ChildSpec extends SourceSpec {
  /** Column of this source that holds what its parent has in `parentKey`. */
  readonly on: string;
  /** Column of the parent, in which several rows may have the same; default: the parent's `key`. */
  readonly parentKey?: string;
  /** How the rows of one parent are ordered. Default: as they stand in the files. */
  readonly orderBy?: RowOrder;
  /** Rows that are the same in every cell as one before them are left out. */
  readonly distinct?: boolean;
  /** One of several rows of a parent is taken. */
  readonly pick?: RowChoice;
}

export interface RowOrder {
  readonly column: string;
  /** What the cells have to be. Default: numbers where all are, else text. */
  readonly cells?: OrderedCells;
}

export interface OrderedCells {
  /** How a cell has to be written, in words: `a number`. */
  readonly wanted: string;
  /** What a cell is ordered by; `undefined` for one that is not written so. */
  readonly rank: (text: string) => number | string | undefined;
}

export interface RowChoice {
  readonly take: "first" | "last";
  /** Default: the order of the rows. */
  readonly by?: RowOrder;
  /** Column: of the rows that have the same there one is taken. Default: of all rows of the parent. */
  readonly per?: string;
}
