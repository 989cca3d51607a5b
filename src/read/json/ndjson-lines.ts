import type { RowPosition } from "../../model/record.ts";
import type { RecordSpans } from "../csv/record-boundaries.ts";
import { countLineFeeds } from "../text/utf8.ts";
import { isSpace } from "./json-splitter.ts";

/** Lines of an NDJSON file that were read together. */
interface NdjsonPiece extends PieceStart {
  readonly bytes: readonly Uint8Array[];
  /** The position of the line after the piece. */
  readonly next: RowPosition;
}

interface PieceStart {
  /** 1-based line on which the piece starts. */
  readonly line: number;
  /** The line of a record that precedes the piece and is too long to be kept. */
  readonly tooLongAt?: number | undefined;
}

/**
 * Yields the complete lines of an NDJSON file, one piece per chunk, then the last line if it has no line ending. Omits
 * chunks of blank lines. Lines end with LF or CRLF (a CR is whitespace in JSON).
 */
export async function* ndjsonPieces(
  chunks: AsyncIterable<Buffer>,
  limitBytes: number,
  from: RowPosition = { byte: 0, line: 1 },
): AsyncGenerator<NdjsonPiece> {
  let { byte, line } = from;
  let begun = NOTHING;
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(LF) + 1;
    const whole = chunk.subarray(0, end);
    const rest = appendToLine(end > 0 ? NOTHING : begun, chunk.subarray(end), limitBytes);
    const next = { byte: byte + chunk.length - rest.size, line: line + countLineFeeds(whole) };
    const isBlank = begun.size === 0 && withoutSpace(whole).length === 0;
    if (end > 0 && !isBlank) yield { ...completed(begun, whole, { line, limitBytes }), next };
    begun = rest;
    line = next.line;
    byte += chunk.length;
  }
  const tooLongAt = begun.size > limitBytes ? line : undefined;
  if (begun.size > 0) yield { bytes: begun.parts, line, tooLongAt, next: { byte, line } };
}

/** The start of an incomplete line. */
interface BegunLine {
  /** Number of bytes, without leading whitespace. */
  readonly size: number;
  /** The bytes of the line; empty if the line is too long to be kept. */
  readonly parts: readonly Uint8Array[];
}

const NOTHING: BegunLine = { size: 0, parts: [] };
const LF = 10;

function appendToLine(begun: BegunLine, bytes: Buffer, limit: number): BegunLine {
  const more = begun.size === 0 ? withoutSpace(bytes) : bytes;
  const size = begun.size + more.length;
  return { size, parts: size > limit || size === 0 ? [] : [...begun.parts, more] };
}

/**
 * Combines an incomplete line with the bytes that complete it. The bytes end with a line ending. Omits the line if it
 * is longer than the limit.
 */
function completed(
  begun: BegunLine,
  bytes: Buffer,
  { line, limitBytes }: { readonly line: number; readonly limitBytes: number },
): PieceStart & { readonly bytes: readonly Uint8Array[] } {
  const lineEnd = bytes.indexOf(LF);
  if (begun.size === 0 || begun.size + lineEnd <= limitBytes) return { bytes: [...begun.parts, bytes], line };
  return { bytes: [bytes.subarray(lineEnd + 1)], line: line + 1, tooLongAt: line };
}

function withoutSpace(bytes: Buffer): Buffer {
  let start = 0;
  while (start < bytes.length && isSpace(bytes[start])) start += 1;
  return bytes.subarray(start);
}

/**
 * Finds the non-blank lines of a piece. Returns their 1-based line numbers and their offsets, which exclude surrounding
 * whitespace and the record separators of JSON text sequences (RFC 7464). For a line that is longer than the limit, the
 * end is before the start.
 */
export function findLines(bytes: Buffer, { line: firstLine, tooLongAt }: PieceStart, limitBytes: number): RecordSpans {
  const [starts, ends, lines]: [number[], number[], number[]] =
    tooLongAt === undefined ? [[], [], []] : [[0], [-1], [tooLongAt]];
  let line = firstLine;
  for (let at = 0; ; line += 1) {
    for (; isSpace(bytes[at]); at += 1) if (bytes[at] === LF) line += 1;
    if (at === bytes.length) return { starts, ends, lines };
    const next = bytes.indexOf(LF, at);
    const lineEnd = next < 0 ? bytes.length : next;
    const { start, end } = recordIn(bytes, at, lineEnd);
    const isTooLong = lineEnd - at > limitBytes;
    if (isTooLong || start < end) {
      starts.push(start);
      ends.push(isTooLong ? start - 1 : end);
      lines.push(line);
    }
    at = Math.min(lineEnd + 1, bytes.length);
  }
}

/** Returns the offsets of a record in its line, without any record separator or whitespace. */
function recordIn(bytes: Buffer, lineStart: number, lineEnd: number): { readonly start: number; readonly end: number } {
  let start = bytes[lineStart] === RECORD_SEPARATOR ? lineStart + 1 : lineStart;
  let end = lineEnd;
  while (start < end && isSpace(bytes[start])) start += 1;
  while (end > start && isSpace(bytes[end - 1])) end -= 1;
  return { start, end };
}

const RECORD_SEPARATOR = 0x1e;
