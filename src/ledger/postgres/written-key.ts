/**
 * A business key as PostgreSQL can hold it: NFC, because two keys that differ only in Unicode form are one key, and
 * without U+0000, which its text cannot hold. The noncharacter U+10FFFF stands for that; no key of an extract has it.
 */
export function writtenKey(key: string): string {
  return key.normalize("NFC").replaceAll("\0", NO_CHARACTER);
}

export function readKey<Key extends string | null>(key: Key): Key | string {
  return key === null || !key.includes(NO_CHARACTER) ? key : key.replaceAll(NO_CHARACTER, "\0");
}

const NO_CHARACTER = "\u{10FFFF}";
