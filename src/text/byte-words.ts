/**
 * These functions test the four bytes of a word at a time. `equalBytes` and `nonPlainBytes` return a word in which the
 * highest bit of every matching byte is set. The highest bit of a byte after a match (in memory order) may also be set,
 * so callers must check such bytes.
 */

/** @param times4 the byte to find, repeated four times */
export function equalBytes(word: number, times4: number): number {
  const other = word ^ times4;
  return (other - ONES) & ~other & HIGHEST_BITS;
}

/** Matches all bytes except 0x20 to 0x7E. */
export function nonPlainBytes(word: number): number {
  return (((word - SPACES) & ~word) | (word + ONES) | word) & HIGHEST_BITS;
}

/** Counts the bytes of a word that equal the byte in `times4`. The count is exact. */
export function countEqualBytes(word: number, times4: number): number {
  const other = word ^ times4;
  const equal = ~(((other & LOWER_BITS) + LOWER_BITS) | other | LOWER_BITS);
  return equal === 0 ? 0 : Math.imul(equal >>> 7, ONES) >>> 24;
}

/**
 * Returns the position (0 to 3) of the first byte whose highest bit is set; -1 if `bits` is 0.
 * @param bits a result of `equalBytes` or `nonPlainBytes`
 */
export function firstByte(bits: number): number {
  return (31 - Math.clz32(bits & -bits)) >> 3;
}

/** Returns a view from which `getInt32(at, true)` reads a word. */
export function wordsOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

export const WORD_BYTES = 4;

const ONES = 0x01010101;
const SPACES = 0x20202020;
const LOWER_BITS = 0x7f7f7f7f;
const HIGHEST_BITS = 0x80808080 | 0;
