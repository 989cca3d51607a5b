import { canonicalKey } from "../../text/canonical-key.ts";
import { isPlainKey, normalKey } from "../../text/near-key.ts";
import { asciiHash, bytesHash, textHash } from "../../text/text-hash.ts";
import { type ByteList, createByteList } from "../../text/byte-list.ts";

const MARK_SEED = 0x243f6a88;

/**
 * Appends a key in its canonical form, because keys with the same canonical form have the same identity.
 * Returns the key's mark: 52 bits that are the same for equal and nearly equal keys (`normalKey`). Other keys may have
 * the same mark, so callers must compare the keys if their marks are the same.
 */
export function packKey(key: string, bytes: ByteList): number {
  const plain = canonicalKey(key);
  bytes.addText(plain);
  return markOf(normalKey(plain));
}

/** Does the same as `packKey` for a key given as ASCII bytes. */
export function packAsciiKey(bytes: Uint8Array, from: number, to: number, list: ByteList): number {
  if (!isPlainKey(bytes, from, to)) return packKey(decoder.decode(bytes.subarray(from, to)), list);
  list.addBytes(bytes, from, to);
  bare.clear();
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte !== DASH) bare.addByte(byte);
  }
  return asciiHash(bare.bytes(), 0, bare.length(), MARK_SEED);
}

const DASH = 0x2d;
const bare = createByteList();

const decoder = new TextDecoder();

/** Hashes the bytes of a string. Two different strings that are not well-formed may have the same bytes. */
function markOf(text: string): number {
  return ASCII.test(text) ? textHash(text, MARK_SEED) : bytesHash(encoder.encode(text), MARK_SEED);
}

const ASCII = /^\p{ASCII}*$/u;
const encoder = new TextEncoder();
