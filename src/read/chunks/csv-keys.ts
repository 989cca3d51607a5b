import type { CsvLayout } from "../csv/csv-layout.ts";
import { type CsvBytes, rowsAt } from "../csv/csv-rows.ts";
import { cellMarks, findCells, newRecordCells, recordStarter } from "../csv/record-cells.ts";
import { byteKinds, findRecordBoundaries } from "../csv/record-boundaries.ts";
import { keyOf } from "../row/row-key.ts";
import type { TextSource } from "../text/text-bytes.ts";
import { csvPieces } from "./csv-pieces.ts";

/** The keys of a file's rows, as `keyOf` gives them, without the rows. */
export async function* csvKeys(
  source: TextSource,
  layout: CsvLayout,
  column: string,
): AsyncGenerator<readonly (string | undefined)[]> {
  const kinds = byteKinds(layout.delimiter);
  const keysOf = keyReader(layout, column);
  let isHeader = true;
  for await (const { bytes: parts, line } of csvPieces(source, layout)) {
    const bytes = Buffer.concat(parts);
    const boundaries = findRecordBoundaries(bytes, kinds, true);
    const from = isHeader && boundaries.lines.length > 0 ? 1 : 0;
    isHeader &&= boundaries.lines.length === 0;
    yield keysOf({ bytes, boundaries, line }, from);
  }
}

/** Reads keys of the records from this one on. Rows are made where bytes alone do not tell, such as of blank lines. */
function keyReader(
  layout: CsvLayout,
  column: string,
): (piece: CsvBytes, from: number) => readonly (string | undefined)[] {
  const cells = newRecordCells(layout);
  const marks = cellMarks(layout);
  const at = layout.header.table.columnIndex.get(column);
  const isSimple = at !== undefined && marks.columns > 1 && layout.header.unnamed.length === 0;
  return (piece, from) => {
    const keys: (string | undefined)[] = [];
    const begin = recordStarter(cells, piece, from);
    for (let number = from; number < piece.boundaries.starts.length; number += 1) {
      if (begin(number) && isSimple && findCells(cells, marks)) {
        const text = piece.bytes.toString("utf8", cells.starts[at], cells.ends[at]);
        keys.push(text.trim() === "" ? undefined : text);
        continue;
      }
      const [read] = rowsAt(piece, layout, [number]);
      if (read !== undefined) keys.push(keyOf(read.row, column));
    }
    return keys;
  };
}
