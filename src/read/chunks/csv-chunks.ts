import type { CsvLayout } from "../csv/csv-layout.ts";
import { refuseOpenQuote } from "../csv/csv-rows.ts";
import { byteKinds, findRecordBoundaries, lastRecordEnd } from "../csv/record-boundaries.ts";
import { textBytes, type TextSource, withoutStart } from "../text/text-bytes.ts";
import { countLineEnds } from "../text/utf8.ts";
import { newChunkBuilder, type RecordChunk } from "./record-chunk.ts";

/**
 * The records of a CSV file as chunks, its header among them. The pieces of a chunk hold the records that `csvRows`
 * would give together; it raises the same failures, each behind the records that `csvRows` would give before it.
 */
export async function* csvChunks(source: TextSource, layout: CsvLayout, file: number): AsyncGenerator<RecordChunk> {
  const builder = newChunkBuilder(file);
  const endOf = csvCutter(source, layout);
  let carried: Buffer = Buffer.alloc(0);
  let line = layout.header.line;
  try {
    for await (const chunk of withoutStart(textBytes(source), layout.headerByte)) {
      const bytes = carried.length === 0 ? chunk : Buffer.concat([carried, chunk]);
      const end = endOf(bytes, line, false);
      const piece = bytes.subarray(0, end);
      const full = builder.add(piece, line);
      if (full !== undefined) yield full;
      line += countLineEnds(piece);
      carried = bytes.subarray(end);
    }
    endOf(carried, line, true);
  } catch (error) {
    const before = builder.rest();
    if (before !== undefined) yield before;
    throw error;
  }
  const full = builder.add(carried, line) ?? builder.rest();
  if (full !== undefined) yield full;
}

/** Tells where the whole records of bytes end that begin on a line; `final`: no more bytes follow. */
function csvCutter(source: TextSource, layout: CsvLayout): (bytes: Buffer, line: number, final: boolean) => number {
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
