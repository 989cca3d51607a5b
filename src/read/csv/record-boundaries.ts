import { isInSorted } from "../../text/number-set.ts";
import type { Writable } from "../../model/writable.ts";
import { equalBytes, firstByte, nonPlainBytes, WORD_BYTES, wordsOf } from "../../text/byte-words.ts";

/** The offsets and lines of records. */
export interface RecordSpans {
  /** The line on which each record starts. In CSV, all lines are counted from 0 at the start of the piece. */
  readonly lines: readonly number[];
  /** The offset of each record's first byte. */
  readonly starts: readonly number[];
  /** The offset at which each record ends (exclusive), without its line ending. */
  readonly ends: readonly number[];
}

/** The records that contain quotes or control characters. */
interface MarkedRecords {
  /** Zero-based numbers of the records that contain a quote, in order. */
  readonly quoted: readonly number[];
  /** Numbers of the records with a quote inside an unquoted cell, or text after a closing quote. */
  readonly strayQuotes: ReadonlySet<number>;
  /** Numbers of the records with control characters other than tabs and line breaks. */
  readonly controls: ReadonlySet<number>;
}

/** The complete records at the start of a piece of CSV. Blank lines are not records. */
export interface RecordBoundaries extends RecordSpans, MarkedRecords {
  /** The offset at which the records end. The bytes after it belong to an incomplete record. */
  readonly end: number;
  /** The line on which the next record starts. */
  readonly nextLine: number;
  /** Number of blank lines, which are not records. */
  readonly blankLines: number;
  /** The line of a quote that is open at the end of the piece. */
  readonly openQuote: number | undefined;
  /** The line of a quote that was never closed: the next quote is on a later line and is followed by text. */
  readonly brokenQuote: number | undefined;
  /** True if the last record has no line ending because the file ends there. */
  readonly unterminated: boolean;
}

/**
 * The places of records. `quoted`, `strayQuotes` and `controls` are absent for records in a format without quoted
 * cells, such as JSON.
 */
export type RecordPlaces = RecordSpans & Partial<MarkedRecords>;

/** For records that were not split from a file: nothing precedes or follows them, and all quotes are closed. */
export const WHOLE_RECORDS = { nextLine: 0, blankLines: 0, openQuote: undefined, brokenQuote: undefined } as const;

/** Returns the kind of each byte value in a CSV file with this delimiter (one ASCII character). */
export function byteKinds(delimiter: string): Uint8Array {
  const kinds = new Uint8Array(256);
  kinds.fill(CONTROL, 0, 0x20);
  kinds[0x7f] = CONTROL;
  kinds[LEAD_OF_C1] = MAYBE_CONTROL;
  kinds[TAB] = ORDINARY;
  kinds[LF] = LINE_END;
  kinds[CR] = LINE_END;
  kinds[QUOTE] = QUOTES;
  kinds[delimiter.charCodeAt(0)] = DELIMITER;
  return kinds;
}

/**
 * Finds the records in `bytes`, which must begin at the start of a record. As in RFC 4180, a line break in quotes
 * belongs to the cell; CRLF, LF and CR all end a line. `final`: no more bytes follow. csv-parse finds the same records,
 * but reports neither the line of an open quote nor the line on which a record starts.
 */
export function findRecordBoundaries(bytes: Uint8Array, kinds: Uint8Array, final: boolean): RecordBoundaries {
  const scan: Scan = {
    bytes,
    final,
    at: 0,
    line: 0,
    nextLine: 0,
    blankLines: 0,
    openQuote: undefined,
    brokenQuote: undefined,
    end: 0,
    lines: [],
    starts: [],
    ends: [],
    quoted: [],
    strayQuotes: new Set(),
    controls: new Set(),
    unterminated: false,
  };
  const words = wordsOf(bytes);
  const lastWordStart = bytes.length - WORD_BYTES;
  for (let at = 0; at < bytes.length; at += 1) {
    for (; at <= lastWordStart; at += WORD_BYTES) {
      const word = words.getInt32(at, true);
      const special = nonPlainBytes(word) | equalBytes(word, QUOTES_TIMES_4);
      if (special === 0) continue;
      at += firstByte(special);
      break;
    }
    const kind = kinds[bytes[at] ?? SPACE];
    if (kind === ORDINARY || kind === DELIMITER) continue;
    scan.at = at;
    step(scan, kind ?? ORDINARY, kinds);
    at = scan.at;
  }
  return finish(scan);
}

const ORDINARY = 0;
const DELIMITER = 1;
const LINE_END = 2;
const QUOTES = 3;
const CONTROL = 4;
const MAYBE_CONTROL = 5;

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const QUOTE = 34;
const QUOTES_TIMES_4 = 0x22222222;
/** In UTF-8, the control characters U+0080 to U+009F consist of this byte, followed by a byte below 0xA0. */
const LEAD_OF_C1 = 0xc2;

/** The boundaries found so far, and the state of the scan. */
interface Scan extends Writable<RecordBoundaries> {
  readonly bytes: Uint8Array;
  readonly final: boolean;
  at: number;
  line: number;
  readonly lines: number[];
  readonly starts: number[];
  readonly ends: number[];
  readonly quoted: number[];
  readonly strayQuotes: Set<number>;
  readonly controls: Set<number>;
}

function step(scan: Scan, kind: number, kinds: Uint8Array): void {
  if (kind === LINE_END) endLine(scan, kinds);
  else if (kind === QUOTES) meetQuote(scan, kinds);
  else if (kind === CONTROL || (scan.bytes[scan.at + 1] ?? 0xff) < 0xa0) scan.controls.add(scan.lines.length);
}

function endLine(scan: Scan, kinds: Uint8Array): void {
  const endOfText = scan.at;
  if (scan.bytes[scan.at] === CR) {
    if (scan.bytes[scan.at + 1] === LF) scan.at += 1;
    else if (scan.at + 1 === scan.bytes.length && !scan.final) return;
  }
  scan.line += 1;
  if (scan.openQuote !== undefined) return;
  if (isBlankLine(scan, endOfText, kinds)) scan.blankLines += 1;
  else endRecord(scan, endOfText);
  for (; scan.bytes[scan.at + 1] === LF; scan.at += 1) {
    scan.line += 1;
    scan.blankLines += 1;
  }
  scan.nextLine = scan.line;
  scan.end = scan.at + 1;
}

function isBlankLine({ bytes, end }: Scan, endOfText: number, kinds: Uint8Array): boolean {
  let at = end;
  while (at < endOfText && isBlank(bytes[at], kinds)) at += 1;
  return at === endOfText;
}

/** Whether the byte is a space or a tab. A tab that is the delimiter is not blank. */
function isBlank(byte: number | undefined, kinds: Uint8Array): boolean {
  return byte === SPACE || (byte === TAB && kinds[TAB] === ORDINARY);
}

function endRecord(scan: Scan, endOfText: number): void {
  scan.lines.push(scan.nextLine);
  scan.starts.push(scan.end);
  scan.ends.push(endOfText);
}

function meetQuote(scan: Scan, kinds: Uint8Array): void {
  if (scan.quoted.at(-1) !== scan.lines.length) scan.quoted.push(scan.lines.length);
  if (scan.openQuote === undefined) {
    const isFirst = scan.at === scan.end || kinds[scan.bytes[scan.at - 1] ?? 0] === DELIMITER;
    if (isFirst) scan.openQuote = scan.line;
    else scan.strayQuotes.add(scan.lines.length);
    return;
  }
  const next = scan.bytes[scan.at + 1];
  if (next === QUOTE) {
    scan.at += 1;
    return;
  }
  const nextKind = next === undefined ? LINE_END : kinds[next];
  if (nextKind !== DELIMITER && nextKind !== LINE_END) {
    scan.strayQuotes.add(scan.lines.length);
    if (scan.openQuote !== scan.line) scan.brokenQuote ??= scan.openQuote;
  }
  scan.openQuote = undefined;
}

function finish(scan: Scan): RecordBoundaries {
  const { bytes, final, at: _at, line, ...found } = scan;
  const unterminated = final && scan.openQuote === undefined && scan.end < bytes.length;
  if (unterminated) endRecord(scan, bytes.length);
  if (scan.quoted.at(-1) === scan.lines.length) scan.quoted.pop();
  return unterminated ? { ...found, end: bytes.length, nextLine: line + 1, unterminated } : found;
}

/**
 * Whether this record has no line ending because the file ends there. A join repeats a record for each of its parents,
 * so several records at the end can be copies of the last one, from the same line.
 */
export function isUnterminated({ unterminated, lines }: RecordBoundaries, number: number): boolean {
  return unterminated && lines[number] === lines.at(-1);
}

/**
 * Returns only the boundaries of the records with these numbers, which must be in ascending order. Does not visit the
 * other records, because this function is called for each record with an error.
 */
export function boundariesAt(boundaries: RecordBoundaries, numbers: readonly number[]): RecordBoundaries {
  const { lines, starts, ends, quoted, strayQuotes, controls } = boundaries;
  const pick = (values: readonly number[]): readonly number[] => numbers.map((number) => values[number] ?? 0);
  const placesWhere = (matches: (number: number) => boolean): readonly number[] =>
    numbers.flatMap((number, place) => (matches(number) ? place : []));
  return {
    ...boundaries,
    lines: pick(lines),
    starts: pick(starts),
    ends: pick(ends),
    quoted: placesWhere((number) => isInSorted(quoted, number)),
    strayQuotes: new Set(placesWhere((number) => strayQuotes.has(number))),
    controls: new Set(placesWhere((number) => controls.has(number))),
    unterminated: isUnterminated(boundaries, numbers.at(-1) ?? -1),
  };
}

export const RECORD_FLAG = { quoted: 1, strayQuote: 2, control: 4 } as const;

/** Returns the bits of `RECORD_FLAG` for each record. */
export function recordFlags({ starts, quoted, strayQuotes, controls }: RecordBoundaries): Uint8Array {
  const flags = new Uint8Array(starts.length);
  const set = (numbers: Iterable<number>, flag: number): void => {
    for (const number of numbers) flags[number] = (flags[number] ?? 0) | flag;
  };
  set(quoted, RECORD_FLAG.quoted);
  set(strayQuotes, RECORD_FLAG.strayQuote);
  set(controls, RECORD_FLAG.control);
  return flags;
}
