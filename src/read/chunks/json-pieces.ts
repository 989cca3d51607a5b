import { jsonElements } from "../json/json-rows.ts";
import { isSpace } from "../json/json-splitter.ts";
import { textBytes, type TextSource } from "../text/text-bytes.ts";
import type { Piece } from "./chunk-builder.ts";

/** The elements of a JSON document: those together that `jsonRows` would give together. Raises the same failures. */
export async function* jsonPieces(source: TextSource): AsyncGenerator<Piece> {
  for await (const { elements, firstIndex } of jsonElements(source)) {
    const lines = elements.map(({ line }) => line);
    const lengths = elements.map(({ bytes }) => bytes?.length ?? -1);
    const bytes = elements.flatMap((element) => element.bytes ?? []);
    yield { bytes, line: lines[0] ?? 1, elements: { firstIndex, lines, lengths } };
  }
}

const LF = 10;

/** The lines of an NDJSON file: those together that `ndjsonRows` would give together. */
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
    begun = goneOn(begun, chunk.subarray(end), limit);
  }
  if (begun.size > 0) yield { bytes: begun.parts, line, tooLongAt: begun.size > limit ? line : undefined };
}

/** The beginning of a line. */
interface BegunLine {
  /** Without the white space that it begins with. */
  readonly size: number;
  /** Nothing is kept of a line that is too long. */
  readonly parts: readonly Uint8Array[];
}

const NOTHING: BegunLine = { size: 0, parts: [] };

function goneOn(begun: BegunLine, bytes: Buffer, limit: number): BegunLine {
  const more = begun.size === 0 ? withoutSpace(bytes) : bytes;
  const size = begun.size + more.length;
  return { size, parts: size > limit || size === 0 ? [] : [...begun.parts, more] };
}

/** A line that has begun, and the bytes that end it and hold whole lines besides. */
function pieceOf(
  begun: BegunLine,
  bytes: Buffer,
  { line, limit }: { readonly line: number; readonly limit: number },
): Piece {
  const lineEnd = bytes.indexOf(LF);
  if (begun.size === 0 || begun.size + lineEnd <= limit) return { bytes: [...begun.parts, bytes], line };
  return { bytes: [bytes.subarray(lineEnd + 1)], line: line + 1, tooLongAt: line };
}

/** The first chunk with something in it, and those behind it; `passOver` is told how many line ends stand before it. */
async function* withoutBlankStart(
  chunks: AsyncIterable<Buffer>,
  passOver: (lines: number) => void,
): AsyncGenerator<Buffer> {
  let isBlank = true;
  for await (const chunk of chunks) {
    isBlank &&= withoutSpace(chunk).length === 0;
    if (isBlank) passOver(countLineFeeds(chunk));
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
