/**
 * Bytes looked at four at a time. Each function sets the highest bit of the bytes of a word that are what it looks for, and
 * may set those of bytes behind such a one (in memory), too, which have to be looked at.
 */

/** @param times4 the byte that is looked for, four times */
export function equalBytes(word: number, times4: number): number {
  const other = word ^ times4;
  return (other - ONES) & ~other & HIGHEST_BITS;
}

/** Bytes below 0x20, and from 0x7F on. */
export function oddBytes(word: number): number {
  return (((word - SPACES) & ~word) | (word + ONES) | word) & HIGHEST_BITS;
}

/** How many bytes of a word are this one: exactly. */
export function countEqualBytes(word: number, times4: number): number {
  const other = word ^ times4;
  const equal = ~(((other & LOWER_BITS) + LOWER_BITS) | other | LOWER_BITS);
  return equal === 0 ? 0 : Math.imul(equal >>> 7, ONES) >>> 24;
}

/** The place (0 to 3) of the first byte whose highest bit is set, where one is. */
export function firstByte(bits: number): number {
  return (31 - Math.clz32(bits & -bits)) >> 3;
}

/** `getInt32(at, true)` gives words. */
export function wordsOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

export const WORD_BYTES = 4;

const ONES = 0x01010101;
const SPACES = 0x20202020;
const LOWER_BITS = 0x7f7f7f7f;
const HIGHEST_BITS = 0x80808080 | 0;
