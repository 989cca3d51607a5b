import { strip } from "./unicode-text.ts";

/**
 * Returns the form in which a business key is stored and compared: in NFC, without surrounding whitespace. Keys that
 * differ only in Unicode form are the same key. The platform removes surrounding whitespace, so keys that differ only
 * in that are the same key too.
 */
export function canonicalKey(key: string): string {
  return strip(ASCII.test(key) ? key : key.normalize("NFC"));
}

const ASCII = /^\p{ASCII}*$/u;
