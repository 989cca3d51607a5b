import type { CsvLayout } from "../csv/csv-layout.ts";
import { refuseOpenQuote } from "../csv/csv-records.ts";
import { byteKinds, findRecordBoundaries, lastRecordEnd } from "../csv/record-boundaries.ts";
import { textBytes, type TextSource, withoutStart } from "../text/text-bytes.ts";
import { countLineEnds } from "../text/utf8.ts";
import type { Piece } from "./chunk-builder.ts";

/**
 * The records of a CSV file, its header among them: those together that `csvRows` would give together. Raises the same
 * failures in the same places.
 */
export async function* csvPieces(source: TextSource, layout: CsvLayout): AsyncGenerator<Piece> {
  const endOf = recordCutter(source, layout);
  let carried: Buffer = Buffer.alloc(0);
  let line = layout.header.line;
  for await (const chunk of withoutStart(textBytes(source), layout.headerByte)) {
    const bytes = carried.length === 0 ? chunk : Buffer.concat([carried, chunk]);
    const end = endOf(bytes, line, false);
    const piece = bytes.subarray(0, end);
    if (end > 0) yield { bytes: [piece], line };
    line += countLineEnds(piece);
    carried = bytes.subarray(end);
  }
  endOf(carried, line, true);
  if (carried.length > 0) yield { bytes: [carried], line };
}

/** Tells where the whole records of bytes end that begin on a line; `final`: no more bytes follow. */
function recordCutter(source: TextSource, layout: CsvLayout): (bytes: Buffer, line: number, final: boolean) => number {
  const kinds = byteKinds(layout.delimiter);
  const scanned = (bytes: Buffer, line: number, final: boolean): number => {
    const boundaries = findRecordBoundaries(bytes, kinds, final);
    refuseOpenQuote(source, boundaries, { line, left: bytes.length - boundaries.end, final });
    return boundaries.end;
  };
  return (bytes, line, final) => {
    const end = final ? undefined : lastRecordEnd(bytes, kinds);
    const isClear = end !== undefined && bytes.length - end <= source.limits.csvRecordBytes;
    return isClear ? end : scanned(bytes, line, final);
  };
}
