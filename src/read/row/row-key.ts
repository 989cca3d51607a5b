import { formatPointer } from "../../json/json-pointer.ts";
import { valueAt } from "../../json/json-value.ts";
import type { Place } from "../../model/place.ts";
import { isCsvRow, type JsonRow, type Row } from "../../model/record.ts";
import { cellPlace } from "../csv/csv-rows.ts";

/**
 * The key of a row, from a column (CSV) or a dot path (JSON): the text exactly as it is in the file, because
 * `00123` and `123` are two keys; half a surrogate pair alone, which no file of text can hold, is U+FFFD. `undefined` when it is empty, white space, missing, or not text or a number.
 */
export function keyOf(row: Row, name: string): string | undefined {
  const text = isCsvRow(row) ? row.cells[row.table.columnIndex.get(name) ?? -1] : jsonKey(row, name);
  return text === undefined || text.trim() === "" ? undefined : text;
}

/** Where the key of a row stands, or the row itself when it has no such cell. */
export function keyPlace(row: Row, name: string): Place {
  if (!isCsvRow(row)) {
    return { file: row.table.file, line: row.line, pointer: row.pointer + formatPointer(name.split(".")) };
  }
  const index = row.table.columnIndex.get(name);
  return index === undefined ? { file: row.table.file, line: row.line } : cellPlace(row.table, row.line, index);
}

function jsonKey(row: JsonRow, name: string): string | undefined {
  const value = valueAt(row.value, name.split("."));
  return typeof value === "string" || typeof value === "number" ? String(value).toWellFormed() : undefined;
}
