import { ownColumn } from "../../map/source-columns.ts";
import type { Cells } from "../../model/owner.ts";
import type { InputRecord, Row } from "../../model/record.ts";

/**
 * Returns the cells of a record, by the column names that a mapping uses: `REGION` from its own row, `customers.SYSTEM`
 * from the rows joined to its row, and `customers.addresses.CITY` from the rows joined to those rows. An orphan has
 * only cells from its own source.
 */
export function cellsOf({ source, orphan, row }: Pick<InputRecord, "source" | "orphan" | "row">): Cells {
  if (!orphan) return (column) => cellsIn(row, column);
  return (column) => {
    const at = `.${column}`.indexOf(`.${source}.`);
    return at < 0 ? [] : cellsIn(row, column.slice(at + source.length + 1));
  };
}

function cellsIn(row: Row, column: string): readonly string[] {
  const own = ownColumn(column);
  if (own.isIn(row)) {
    const cell = own.read(row);
    return typeof cell === "string" ? [cell] : [];
  }
  const end = column.indexOf(".");
  const joined = end < 0 ? undefined : row.children?.get(column.slice(0, end));
  return joined?.flatMap((each) => cellsIn(each, column.slice(end + 1))) ?? [];
}
