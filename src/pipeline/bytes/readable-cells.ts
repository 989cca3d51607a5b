import type { ChunkCsvFile } from "../../read/chunks/record-chunk.ts";
import type { RecordCells } from "../../read/csv/record-cells.ts";

/**
 * Returns a function that tests whether the row can be read without a problem: every key is present, unnamed columns
 * are empty, and the first named column does not contain its own name, as in a repeated header. If the file has only
 * one column, its cell must not be empty, because the record may be a blank line.
 */
export function readableCells({ keys, layout: { header } }: ChunkCsvFile): (cells: RecordCells) => boolean {
  const { unnamed, table } = header;
  const keyColumns = keys.map((name) => table.columnIndex.get(name) ?? -1);
  const filled = table.columns.length === 1 ? [0, ...keyColumns] : keyColumns;
  const namedColumn = header.cells.findIndex((name) => name.trim() !== "");
  const name = Buffer.from(header.cells[namedColumn] ?? "");
  return (cells) =>
    filled.every((column) => isFilled(cells, column)) &&
    unnamed.every((column) => cells.starts[column] === cells.ends[column]) &&
    !endsWith(cells, namedColumn, name);
}

/**
 * Whether the cell is pure ASCII with at least one visible character. Non-ASCII characters may be invisible, so a
 * record with such a cell needs the row path.
 */
function isFilled({ bytes, starts, ends }: RecordCells, column: number): boolean {
  let visible = 0;
  for (let at = starts[column] ?? 0; at < (ends[column] ?? 0); at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte > 0x7f) return false;
    if (byte > 0x20) visible += 1;
  }
  return visible > 0;
}

/** Compares only the end of the cell, because a byte order mark may precede the name. */
function endsWith({ bytes, starts, ends }: RecordCells, column: number, name: Buffer): boolean {
  const end = ends[column] ?? 0;
  const start = end - name.length;
  if (start < (starts[column] ?? 0)) return false;
  for (let at = 0; at < name.length; at += 1) if (bytes[start + at] !== name[at]) return false;
  return true;
}
