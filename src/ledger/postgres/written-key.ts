/**
 * A business key in a form that PostgreSQL can store: NFC, because keys that differ only in Unicode form are one key,
 * and without U+0000, which PostgreSQL text cannot contain. The noncharacter U+10FFFF represents U+0000; no key of an
 * extract contains it.
 */
export function writtenKey(key: string): string {
  return key.normalize("NFC").replaceAll("\0", NO_CHARACTER);
}

export function readKey<Key extends string | null>(key: Key): Key | string {
  return key === null || !key.includes(NO_CHARACTER) ? key : key.replaceAll(NO_CHARACTER, "\0");
}

const NO_CHARACTER = "\u{10FFFF}";
