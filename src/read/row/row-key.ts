import { formatPointer } from "../../json/json-pointer.ts";
import { cellTextOf, valueAt } from "../../json/json-value.ts";
import type { Place } from "../../model/place.ts";
import { isCsvRow, type JsonRow, memberPath, type Row } from "../../model/record.ts";
import { cellPlace } from "../csv/csv-rows.ts";

/**
 * Returns the key of a row: the value of a column (CSV), or of a member or dot path (JSON). Text is unchanged, because
 * `00123` and `123` are different keys. Only an unpaired surrogate escape in JSON becomes U+FFFD. A JSON number or
 * boolean is converted to text. Returns undefined if the value is missing or blank, or a list or an object.
 */
export function keyOf(row: Row, name: string): string | undefined {
  const text = isCsvRow(row) ? row.cells[row.table.columnIndex.get(name) ?? -1] : jsonKey(row, name);
  return text === undefined || text.trim() === "" ? undefined : text;
}

/** Returns the place of a row's key, or of the row itself if its file has no column for the key. */
export function keyPlace(row: Row, name: string): Place {
  if (!isCsvRow(row)) {
    return { file: row.table.file, line: row.line, pointer: row.pointer + formatPointer(memberPath(row, name)) };
  }
  const index = row.table.columnIndex.get(name);
  return index === undefined ? { file: row.table.file, line: row.line } : cellPlace(row.table, row.line, index);
}

function jsonKey(row: JsonRow, name: string): string | undefined {
  const value = valueAt(row.value, memberPath(row, name));
  return typeof value === "object" || value === undefined ? undefined : cellTextOf(value).toWellFormed();
}
