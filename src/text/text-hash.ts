/** Hashes are integers from 0 to this number, exclusive, so that the sum of two hashes is exact in a double. */
export const HASH_RANGE: number = 2 ** 52;
export const TWO_TO_THE_32: number = 2 ** 32;

/**
 * Returns a 52-bit hash of a string: two lanes of a multiplicative hash over the code units (cyrb53 by bryc, public
 * domain).
 * @param start the seed; different seeds give unrelated hashes
 */
export function textHash(text: string, start: number): number {
  let one = start;
  let other = ~start;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    one = Math.imul(one ^ unit, 0x9e3779b1);
    other = Math.imul(other ^ unit, 0x5f356495);
  }
  return mixHash(one, other);
}

/** Returns a 52-bit hash of bytes. For ASCII text, it equals `textHash`. */
export function bytesHash(bytes: Uint8Array, start: number): number {
  let one = start;
  let other = ~start;
  for (const byte of bytes) {
    one = Math.imul(one ^ byte, 0x9e3779b1);
    other = Math.imul(other ^ byte, 0x5f356495);
  }
  return mixHash(one, other);
}

/** Returns the `textHash` of the text in these bytes; -1 if they are not all ASCII. */
export function asciiHash(bytes: Uint8Array, from: number, to: number, start: number): number {
  let one = start;
  let other = ~start;
  let all = 0;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] ?? 0;
    all |= byte;
    one = Math.imul(one ^ byte, 0x9e3779b1);
    other = Math.imul(other ^ byte, 0x5f356495);
  }
  return all > 0x7f ? -1 : mixHash(one, other);
}

/** Spreads every bit over both lanes and combines them into 52 bits. */
export function mixHash(one: number, other: number): number {
  const low = Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(other ^ (other >>> 13), 0xc2b2ae35);
  const high = Math.imul(other ^ (other >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  return (high & 0xfffff) * TWO_TO_THE_32 + (low >>> 0);
}
