import type { RowPosition } from "../../model/record.ts";
import type { RecordSpans } from "../csv/record-boundaries.ts";
import { isSpace } from "./json-splitter.ts";

export interface LineText {
  /** Undefined if the line is longer than the limit. */
  readonly text: string | undefined;
  /** 1-based line number. */
  readonly line: number;
}

/**
 * Yields the non-blank lines of `chunks`, one batch per chunk. Lines end with LF or CRLF (a CR is whitespace in JSON).
 * Removes the record separators of JSON text sequences (RFC 7464).
 */
export async function* ndjsonLines(
  chunks: AsyncIterable<Buffer>,
  limitBytes: number,
  from?: RowPosition,
): AsyncGenerator<{ readonly lines: readonly LineText[]; readonly next: RowPosition }> {
  const splitter = lineSplitter(limitBytes, from);
  for await (const chunk of chunks) {
    const lines = splitter.push(chunk);
    if (lines.length > 0) yield { lines, next: splitter.next() };
  }
  const last = splitter.end();
  if (last !== undefined) yield { lines: [last], next: splitter.next() };
}

interface LineSplitter {
  /** Takes the next bytes of the file; returns the lines that end in them. */
  readonly push: (bytes: Buffer) => readonly LineText[];
  /** Call this after the last bytes. Returns the last line if it has no line ending. */
  readonly end: () => LineText | undefined;
  /** Returns the position of the next line, after any blank lines. */
  readonly next: () => RowPosition;
}

/** Splits a file into lines chunk by chunk, as `ndjsonLines` does. */
export function lineSplitter(limitBytes: number, from: RowPosition = { byte: 0, line: 1 }): LineSplitter {
  let { byte, line } = from;
  let next = from;
  let parts: Buffer[] = [];
  let size = 0;
  const take = (rest: Buffer): LineText | undefined => {
    const text = size + rest.length > limitBytes ? undefined : textOf(parts, rest);
    parts = [];
    size = 0;
    return text === "" ? undefined : { text, line };
  };
  const push = (chunk: Buffer): readonly LineText[] => {
    const batch: LineText[] = [];
    let start = 0;
    for (;;) {
      const blank = size === 0 ? blankAt(chunk, start) : NOTHING_BLANK;
      start += blank.bytes;
      line += blank.lines;
      const end = chunk.indexOf(LF, start);
      if (end < 0) break;
      const taken = take(chunk.subarray(start, end));
      if (taken !== undefined) batch.push(taken);
      start = end + 1;
      line += 1;
    }
    size += chunk.length - start;
    if (size > limitBytes) parts = [];
    else if (start < chunk.length) parts.push(chunk.subarray(start));
    next = { byte: byte + start, line };
    byte += chunk.length;
    return batch;
  };
  const end = (): LineText | undefined => {
    next = { byte, line };
    return take(Buffer.alloc(0));
  };
  return { push, end, next: () => next };
}

/**
 * Finds the non-blank lines, as `ndjsonLines` does, in bytes that consist of complete lines. Returns their offsets
 * without surrounding whitespace, and their 1-based line numbers. For a line that is longer than the limit, the end is
 * before the start.
 * @param firstLine 1-based line on which the bytes start
 */
export function findLines(bytes: Buffer, firstLine: number, limitBytes: number): RecordSpans {
  const found = { starts: new Array<number>(), ends: new Array<number>(), lines: new Array<number>() };
  let line = firstLine;
  for (let at = 0; ; line += 1) {
    const blank = blankAt(bytes, at);
    line += blank.lines;
    at += blank.bytes;
    if (at === bytes.length) return found;
    const next = bytes.indexOf(LF, at);
    const lineEnd = next < 0 ? bytes.length : next;
    const { start, end } = recordIn(bytes, at, lineEnd);
    const isTooLong = lineEnd - at > limitBytes;
    if (isTooLong || start < end) {
      found.starts.push(start);
      found.ends.push(isTooLong ? start - 1 : end);
      found.lines.push(line);
    }
    at = Math.min(lineEnd + 1, bytes.length);
  }
}

function textOf(parts: readonly Buffer[], rest: Buffer): string {
  const bytes = parts.length === 0 ? rest : Buffer.concat([...parts, rest]);
  const { start, end } = recordIn(bytes, 0, bytes.length);
  return bytes.toString("utf8", start, end);
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
const LF = 10;

interface Blank {
  readonly bytes: number;
  /** Number of line feeds in the blank part. */
  readonly lines: number;
}

const NOTHING_BLANK: Blank = { bytes: 0, lines: 0 };

/** Measures the blank lines that begin at `start`, and the leading whitespace of the line after them. */
function blankAt(chunk: Buffer, start: number): Blank {
  let lines = 0;
  let at = start;
  for (; isSpace(chunk[at]); at += 1) if (chunk[at] === LF) lines += 1;
  return { bytes: at - start, lines };
}
