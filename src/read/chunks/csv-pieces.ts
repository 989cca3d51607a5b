import type { CsvLayout } from "../csv/csv-layout.ts";
import { csvRecords } from "../csv/csv-records.ts";
import type { TextSource } from "../text/text-bytes.ts";
import type { Piece } from "./chunk-builder.ts";

/** The records of a CSV file, its header among them: those together that `csvRows` gives together. Raises the same failures. */
export async function* csvPieces(source: TextSource, layout: CsvLayout): AsyncGenerator<Piece> {
  for await (const { bytes, boundaries, line } of csvRecords(source, layout)) {
    yield { bytes: [bytes], line, boundaries };
  }
}
