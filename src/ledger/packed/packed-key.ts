import { isPlainKey, normalKey } from "../../text/near-key.ts";
import { asciiHash, bytesHash, textHash } from "../../text/text-hash.ts";
import { type ByteList, createByteList } from "../../text/byte-list.ts";

const MARK_SEED = 0x243f6a88;

/**
 * Adds a key's bytes to the list: NFC, so that two that differ only in Unicode form are one key, as they are one
 * identity. Gives its mark: 52 bits that are the same for keys that are the same or may be near (`normalKey`). Others may share
 * it, too: what a mark finds has to be compared by the keys.
 */
export function packKey(key: string, bytes: ByteList): number {
  const plain = ASCII.test(key) ? key : key.normalize("NFC");
  bytes.addText(plain);
  return markOf(normalKey(plain));
}

/** The same of a key of ASCII alone, by its bytes. */
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

/** Of the bytes of a text, which two different texts may share where they are not well formed. */
function markOf(text: string): number {
  return ASCII.test(text) ? textHash(text, MARK_SEED) : bytesHash(encoder.encode(text), MARK_SEED);
}

const ASCII = /^\p{ASCII}*$/u;
const encoder = new TextEncoder();
