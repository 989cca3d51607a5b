import { jsonElements } from "../json/json-rows.ts";
import { isSpace } from "../json/json-splitter.ts";
import { textBytes, type TextSource } from "../text/text-bytes.ts";
import type { Piece } from "./chunk-builder.ts";

/** Yields the elements of a JSON document, in the same groups as `jsonRows`. Throws the same failures as `jsonRows`. */
export async function* jsonPieces(source: TextSource): AsyncGenerator<Piece> {
  for await (const { elements, firstIndex } of jsonElements(source)) {
    const lines = elements.map(({ line }) => line);
    const lengths = elements.map(({ bytes }) => bytes?.length ?? -1);
    const bytes = elements.flatMap((element) => element.bytes ?? []);
    yield { bytes, line: lines[0] ?? 1, elements: { firstIndex, lines, lengths } };
  }
}

const LF = 10;

/** Yields the lines of an NDJSON file, in the same groups as `ndjsonRows`. */
export async function* ndjsonPieces(source: TextSource): AsyncGenerator<Piece> {
  const limit = source.limits.jsonRecordBytes;
  let line = 1;
  let begun = NOTHING;
  for await (const chunk of withoutBlankStart(textBytes(source), (lines) => (line += lines))) {
    const end = chunk.lastIndexOf(LF) + 1;
    if (end > 0) {
      const whole = chunk.subarray(0, end);
      yield pieceOf(begun, whole, { line, limit });
      line += countLineFeeds(whole);
      begun = NOTHING;
    }
    begun = appendToLine(begun, chunk.subarray(end), limit);
  }
  if (begun.size > 0) yield { bytes: begun.parts, line, tooLongAt: begun.size > limit ? line : undefined };
}

/** The start of an incomplete line. */
interface BegunLine {
  /** Number of bytes, without leading whitespace. */
  readonly size: number;
  /** The bytes of the line; empty if the line is too long to be kept. */
  readonly parts: readonly Uint8Array[];
}

const NOTHING: BegunLine = { size: 0, parts: [] };

function appendToLine(begun: BegunLine, bytes: Buffer, limit: number): BegunLine {
  const more = begun.size === 0 ? withoutSpace(bytes) : bytes;
  const size = begun.size + more.length;
  return { size, parts: size > limit || size === 0 ? [] : [...begun.parts, more] };
}

/**
 * Combines an incomplete line with the bytes that complete it. The bytes end with a line end. Omits the line if it is
 * longer than `limit`.
 */
function pieceOf(
  begun: BegunLine,
  bytes: Buffer,
  { line, limit }: { readonly line: number; readonly limit: number },
): Piece {
  const lineEnd = bytes.indexOf(LF);
  if (begun.size === 0 || begun.size + lineEnd <= limit) return { bytes: [...begun.parts, bytes], line };
  return { bytes: [bytes.subarray(lineEnd + 1)], line: line + 1, tooLongAt: line };
}

/** Skips blank chunks at the start. `skipLines` receives the number of line ends in each of these chunks. */
async function* withoutBlankStart(
  chunks: AsyncIterable<Buffer>,
  skipLines: (lines: number) => void,
): AsyncGenerator<Buffer> {
  let isBlank = true;
  for await (const chunk of chunks) {
    isBlank &&= withoutSpace(chunk).length === 0;
    if (isBlank) skipLines(countLineFeeds(chunk));
    else yield chunk;
  }
}

function countLineFeeds(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) count += 1;
  return count;
}

function withoutSpace(bytes: Buffer): Buffer {
  let start = 0;
  while (start < bytes.length && isSpace(bytes[start])) start += 1;
  return bytes.subarray(start);
}
