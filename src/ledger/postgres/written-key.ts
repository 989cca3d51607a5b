import { canonicalKey } from "../../text/canonical-key.ts";

/**
 * Returns the canonical form of a business key, in a form that PostgreSQL can store. Replaces U+0000, which PostgreSQL
 * text cannot contain, with the noncharacter U+10FFFF, which no key of an extract contains.
 */
export function writtenKey(key: string): string {
  return canonicalKey(key).replaceAll("\0", NO_CHARACTER);
}

export function readKey<Key extends string | null>(key: Key): Key | string {
  return key === null || !key.includes(NO_CHARACTER) ? key : key.replaceAll(NO_CHARACTER, "\0");
}

const NO_CHARACTER = "\u{10FFFF}";
