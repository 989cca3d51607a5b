import { type Column, type SourceColumns, ownOrOtherColumn } from "../source-columns.ts";
import type { ParentRow } from "./mapping-node.ts";
import type { Row } from "../../model/record.ts";

const PREFIX = "parent.";

interface ParentColumns {
  /** Returns the columns of a child source, combined with the columns of the parent. */
  readonly merge: (own: SourceColumns) => SourceColumns;
  /** Returns the holder of the parent row; undefined if no entry reads a column of the parent. */
  readonly read: () => ParentRow | undefined;
}

/** Returns the columns of the parent row. Entries for child rows refer to them as `parent.ACCOUNT_REF`. */
export function parentColumns(above: SourceColumns): ParentColumns {
  const parent: ParentRow = { row: undefined };
  let isRead = false;
  const columnAbove = (source: string, name: string, line: number): Column => {
    isRead = true;
    return ownOrOtherColumn({ source, column: name }, above.column(name.slice(PREFIX.length), line), () =>
      parentOf(parent),
    );
  };
  return {
    merge: (own) => ({
      ...own,
      column: (name, line) => (name.startsWith(PREFIX) ? columnAbove(own.source, name, line) : own.column(name, line)),
    }),
    read: () => (isRead ? parent : undefined),
  };
}

function parentOf({ row }: ParentRow): Row {
  if (row === undefined) throw new Error("a column of a parent was read outside of its child rows");
  return row;
}
