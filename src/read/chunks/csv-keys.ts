import type { CsvLayout } from "../csv/csv-layout.ts";
import { type CsvBytes, csvRecords } from "../csv/csv-records.ts";
import { rowsAt } from "../csv/csv-rows.ts";
import { cellMarks, findCells, newRecordCells, recordStarter } from "../csv/record-cells.ts";
import { keyOf } from "../row/row-key.ts";
import type { TextSource } from "../text/text-bytes.ts";

/** Yields the keys of a file's rows, as `keyOf` returns them, and avoids creating the rows. */
export async function* csvKeys(
  source: TextSource,
  layout: CsvLayout,
  column: string,
): AsyncGenerator<readonly (string | undefined)[]> {
  const visit = keyVisitor(layout, column);
  for await (const records of csvRecords(source, layout)) {
    const keys: (string | undefined)[] = [];
    visit(records, records.from, (_, bytes, start, end) => {
      keys.push(start < 0 ? undefined : bytes.toString("utf8", start, end));
    });
    yield keys;
  }
}

/** Receives a record number and the position of the record's key in `bytes`; `start` is -1 if it has no key. */
type VisitKey = (number: number, bytes: Buffer, start: number, end: number) => void;

/** Visits the keys of a piece's records, starting at a record number. */
export type VisitKeys = (piece: CsvBytes, from: number, visit: VisitKey) => void;

/**
 * Returns a function that visits the keys of the records, starting at number `from`. The function skips blank lines,
 * and creates a row only if it cannot find the key in the bytes.
 */
export function keyVisitor(layout: CsvLayout, column: string): VisitKeys {
  const cells = newRecordCells(layout.header.table, layout.delimiter);
  const marks = cellMarks(layout);
  const at = layout.header.table.columnIndex.get(column);
  const isSimple = at !== undefined && marks.columns > 1 && layout.header.unnamed.length === 0;
  return (piece, from, visit) => {
    const { bytes } = piece;
    const begin = recordStarter(cells, piece, from);
    for (let number = from; number < piece.boundaries.starts.length; number += 1) {
      if (begin(number) && isSimple && findCells(cells, marks)) {
        const [start = 0, end = 0] = [cells.starts[at], cells.ends[at]];
        visit(number, bytes, isBlank(bytes, start, end) ? -1 : start, end);
        continue;
      }
      const [read] = rowsAt(piece, layout, [number]);
      if (read === undefined) continue;
      const key = keyOf(read.row, column);
      if (key === undefined) visit(number, bytes, -1, 0);
      else visit(number, Buffer.from(key), 0, Buffer.byteLength(key));
    }
  };
}

function isBlank(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte > 0x20 && byte < 0x7f) return false;
  }
  return bytes.toString("utf8", start, end).trim() === "";
}
