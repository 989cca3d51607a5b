import { strip } from "./unicode-text.ts";

/**
 * Returns the form in which a business key is stored and compared: in NFC, without surrounding whitespace. Keys that
 * differ only in Unicode form or in surrounding whitespace, which the platform removes, are the same key.
 */
export function canonicalKey(key: string): string {
  return strip(ASCII.test(key) ? key : key.normalize("NFC"));
}

const ASCII = /^\p{ASCII}*$/u;
