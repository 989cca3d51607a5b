import { isUtf8 } from "node:buffer";
import { countEqualBytes, WORD_BYTES, wordsOf } from "../../text/byte-words.ts";

/** Counts the bytes (0 to 3) of an incomplete character at the end of `bytes`. */
export function incompleteTail(bytes: Uint8Array): number {
  const reach = Math.min(3, bytes.length);
  for (let back = 1; back <= reach; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return sequenceLength(byte) > back ? back : 0;
  }
  return 0;
}

/**
 * Returns the index of the first byte that does not start a well-formed UTF-8 character (Unicode, table 3-7); the
 * length of `bytes` if there is none.
 */
export function firstInvalidByte(bytes: Uint8Array): number {
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes[at] ?? 0);
    const next = at + length;
    if (length === 0 || next > bytes.length || !isUtf8(bytes.subarray(at, next))) return at;
    at = next;
  }
  return at;
}

function sequenceLength(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xc2) return 0;
  if (lead < 0xe0) return 2;
  if (lead < 0xf0) return 3;
  return lead < 0xf5 ? 4 : 0;
}

const LF = 10;
const LINE_FEEDS_TIMES_4 = 0x0a0a0a0a;
const CR = 13;

/** Counts the line endings in `bytes`. CRLF, LF and CR each count once. */
export function countLineEndings(bytes: Uint8Array): number {
  return bytes.includes(CR) ? countAllLineEndings(bytes) : countLineFeeds(bytes);
}

export function countLineFeeds(bytes: Uint8Array): number {
  const words = wordsOf(bytes);
  let count = 0;
  let at = 0;
  for (; at <= bytes.length - WORD_BYTES; at += WORD_BYTES)
    count += countEqualBytes(words.getInt32(at, true), LINE_FEEDS_TIMES_4);
  for (; at < bytes.length; at += 1) if (bytes[at] === LF) count += 1;
  return count;
}

function countAllLineEndings(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === LF || (byte === CR && bytes[at + 1] !== LF)) count += 1;
  }
  return count;
}

/** Counts the lines of text that is passed in several chunks, even if it is split between CR and LF. */
interface LineCounter {
  readonly add: (bytes: Uint8Array) => void;
  /** Returns the 1-based line on which the next chunk starts. */
  readonly line: () => number;
}

export function newLineCounter(): LineCounter {
  let line = 1;
  let afterCarriageReturn = false;
  return {
    add: (bytes) => {
      if (bytes.length === 0) return;
      line += countLineEndings(bytes) - (afterCarriageReturn && bytes[0] === LF ? 1 : 0);
      afterCarriageReturn = bytes.at(-1) === CR;
    },
    line: () => line,
  };
}
