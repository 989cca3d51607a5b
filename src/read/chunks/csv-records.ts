import type { CsvLayout } from "../csv/csv-layout.ts";
import type { CsvBytes } from "../csv/csv-rows.ts";
import { byteKinds, findRecordBoundaries } from "../csv/record-boundaries.ts";
import type { TextSource } from "../text/text-bytes.ts";
import { csvPieces } from "./csv-pieces.ts";

/** Records of a CSV file that were read together. */
export interface CsvRecords extends CsvBytes {
  /** The number of the first record behind the header. */
  readonly from: number;
}

/** The records of a CSV file, piece by piece. Raises the failures of `csvRows` in the same places. */
export async function* csvRecords(source: TextSource, layout: CsvLayout): AsyncGenerator<CsvRecords> {
  const kinds = byteKinds(layout.delimiter);
  let isHeader = true;
  for await (const { bytes: parts, line } of csvPieces(source, layout)) {
    const bytes = Buffer.concat(parts);
    const boundaries = findRecordBoundaries(bytes, kinds, true);
    const from = isHeader && boundaries.lines.length > 0 ? 1 : 0;
    isHeader &&= boundaries.lines.length === 0;
    yield { bytes, boundaries, line, from };
  }
}
