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
  /** Column of this source that holds its parent's key. */
  readonly on: string;
  /** Column that orders the rows of one parent: by number where all are numbers, else as text. Default: file order. */
  readonly orderBy?: string;
}
