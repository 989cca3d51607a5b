import type { RowPosition } from "../../model/record.ts";
import type { CsvLayout } from "../csv/csv-layout.ts";
import { csvRecords } from "../csv/csv-records.ts";
import { canBeginAnywhere, type TextSource } from "../text/text-bytes.ts";
import type { Piece } from "./chunk-builder.ts";

/**
 * The records of a CSV file, including its header, grouped as in `csvRows`. Throws the same failures.
 * @param from where to start, after the header; default: at the header
 */
export async function* csvPieces(source: TextSource, layout: CsvLayout, from?: RowPosition): AsyncGenerator<Piece> {
  const isSeekable = canBeginAnywhere(source);
  for await (const { bytes, boundaries, line, next } of csvRecords(source, layout, from)) {
    yield { bytes: [bytes], line, boundaries, next: isSeekable ? next : undefined };
  }
}
