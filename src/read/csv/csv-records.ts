import { failureAt } from "../../model/failure.ts";
import type { Place } from "../../model/place.ts";
import type { RowPosition } from "../../model/record.ts";
import { textBytes, type TextSource, withoutStart } from "../text/text-bytes.ts";
import { type CsvLayout, unclosedQuote } from "./csv-layout.ts";
import { byteKinds, findRecordBoundaries, type RecordBoundaries } from "./record-boundaries.ts";

/** Complete records of a CSV file. */
export interface CsvBytes<Bytes = Buffer> {
  readonly bytes: Bytes;
  readonly boundaries: RecordBoundaries;
  /** 1-based line on which the bytes start. */
  readonly line: number;
}

/** Records of a CSV file that were read together. */
export interface CsvRecords<Bytes = Buffer> extends CsvBytes<Bytes> {
  /** The number of the first record after the header: 1 if the bytes begin with the header, otherwise 0. */
  readonly from: number;
  /** The position of the record after these records. */
  readonly next: RowPosition;
}

/**
 * Yields the records of a CSV file in pieces. The bytes are split into complete records, so that the result does not
 * depend on chunk boundaries.
 * @param from where to start, after the header; default: at the header
 * @throws Failure `source_unclosed_quote` at the line that opened the quote, `source_too_large` for a record beyond the
 * limit
 */
export async function* csvRecords(
  source: TextSource,
  layout: CsvLayout,
  from?: RowPosition,
): AsyncGenerator<CsvRecords> {
  const kinds = byteKinds(layout.delimiter);
  let isHeader = from === undefined;
  let carried: Buffer = Buffer.alloc(0);
  let { byte, line } = from ?? { byte: source.encoding.bomBytes + layout.headerByte, line: layout.header.line };
  const text =
    from === undefined
      ? withoutStart(textBytes(source), layout.headerByte)
      : textBytes({ ...source, start: from.byte });
  for await (const chunk of withEnd(text)) {
    const bytes = chunk === undefined || carried.length === 0 ? (chunk ?? carried) : Buffer.concat([carried, chunk]);
    const boundaries = findRecordBoundaries(bytes, kinds, chunk === undefined);
    const { end, nextLine, lines } = boundaries;
    refuseOpenQuote(source, boundaries, { line, left: bytes.length - end, final: chunk === undefined });
    const first = isHeader && lines.length > 0 ? 1 : 0;
    isHeader &&= lines.length === 0;
    carried = bytes.subarray(end);
    byte += end;
    if (end > 0)
      yield { bytes: bytes.subarray(0, end), boundaries, line, from: first, next: { byte, line: line + nextLine } };
    line += nextLine;
  }
}

/** Yields the chunks and then `undefined`, which marks the end of the file. */
async function* withEnd(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer | undefined> {
  yield* chunks;
  yield undefined;
}

interface ChunkProgress {
  /** 1-based line on which the piece starts. */
  readonly line: number;
  /** Size of the incomplete record, in bytes. */
  readonly left: number;
  readonly final: boolean;
}

/** @throws Failure for an unclosed quote, and for a record beyond the limit */
function refuseOpenQuote(source: TextSource, boundaries: RecordBoundaries, { line, left, final }: ChunkProgress): void {
  if (boundaries.brokenQuote !== undefined) throw unclosedQuote(source, line + boundaries.brokenQuote);
  const tooLong = left > source.limits.csvRecordBytes;
  if (boundaries.openQuote !== undefined && (final || tooLong))
    throw unclosedQuote(source, line + boundaries.openQuote, final ? undefined : source.limits.csvRecordBytes);
  if (!tooLong) return;
  const place: Place = { file: source.file, line: line + boundaries.nextLine };
  throw failureAt("source_too_large", place, `a record is longer than ${source.limits.csvRecordBytes} bytes`, {
    hint: "check that this is a CSV file, with a line break after each record",
  });
}
