import type { RowPosition } from "../../model/record.ts";
import { isSpace } from "./json-splitter.ts";

/** One line that holds a record. */
export interface LineText {
  /** `undefined` when it is longer than the limit. */
  readonly text: string | undefined;
  /** 1-based. */
  readonly line: number;
}

/**
 * The lines of `chunks` that are not blank, a batch a chunk. Lines end in LF or CRLF (JSON takes the CR for space);
 * the record separators of JSON text sequences (RFC 7464) are dropped.
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
  /** Takes the next bytes of the file; gives the lines that end in them. */
  readonly push: (bytes: Buffer) => readonly LineText[];
  /** After the last bytes: the line that no line end closes, if there is one. */
  readonly end: () => LineText | undefined;
  /** Where the next line begins, or the blank ones before it. */
  readonly next: () => RowPosition;
}

/** The same for bytes at hand. */
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

const RECORD_SEPARATOR = "\u{1E}";

function textOf(parts: readonly Buffer[], rest: Buffer): string {
  const text = parts.length === 0 ? rest.toString() : Buffer.concat([...parts, rest]).toString();
  const record = text.startsWith(RECORD_SEPARATOR) ? text.slice(1) : text;
  let start = 0;
  let end = record.length;
  while (start < end && isSpace(record.charCodeAt(start))) start += 1;
  while (end > start && isSpace(record.charCodeAt(end - 1))) end -= 1;
  return record.slice(start, end);
}

const LF = 10;

interface Blank {
  readonly bytes: number;
  /** Line feeds among them. */
  readonly lines: number;
}

const NOTHING_BLANK: Blank = { bytes: 0, lines: 0 };

/** The blank lines, and the white space of the line behind them, from `start` on. */
function blankAt(chunk: Buffer, start: number): Blank {
  let lines = 0;
  let at = start;
  for (; isSpace(chunk[at]); at += 1) if (chunk[at] === LF) lines += 1;
  return { bytes: at - start, lines };
}
