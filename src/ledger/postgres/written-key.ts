/**
 * Returns a business key in a form that PostgreSQL can store. Converts the key to NFC, because keys that differ only in
 * Unicode form are the same key. Replaces U+0000, which PostgreSQL text cannot contain, with the noncharacter U+10FFFF,
 * which no key of an extract contains.
 */
export function writtenKey(key: string): string {
  return key.normalize("NFC").replaceAll("\0", NO_CHARACTER);
}

export function readKey<Key extends string | null>(key: Key): Key | string {
  return key === null || !key.includes(NO_CHARACTER) ? key : key.replaceAll(NO_CHARACTER, "\0");
}

const NO_CHARACTER = "\u{10FFFF}";
