import type { ChunkCsvFile } from "../../read/chunks/record-chunk.ts";
import type { RecordCells } from "../../read/csv/record-cells.ts";

/**
 * Returns a function that tests whether the row can be read without a problem: every key is present, and unnamed
 * columns are empty. If the file has only one column, its cell must not be empty, because the record may be a blank
 * line.
 */
export function readableCells({ keys, layout: { header } }: ChunkCsvFile): (cells: RecordCells) => boolean {
  const { unnamed, table } = header;
  const keyColumns = keys.map((name) => table.columnIndex.get(name) ?? -1);
  const filled = table.columns.length === 1 ? [0, ...keyColumns] : keyColumns;
  return (cells) =>
    filled.every((column) => isFilled(cells, column)) && unnamed.every((column) => isEmpty(cells, column));
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

function isEmpty({ starts, ends }: RecordCells, column: number): boolean {
  return starts[column] === ends[column];
}
