/**
 * Matches the beginning of an owner's name. The match is short enough for the folder name to fit into the 255 bytes
 * that file systems allow.
 */
const FIRST_CHARACTERS = /^.{1,50}/su;
const RESERVED_ON_WINDOWS = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i;

/**
 * Returns a folder name for each owner. A name contains only letters, digits, `_` and `-`, so it is never a path or the
 * name of a report file. Names that a file system may treat as equal get a numeric suffix, in the order of the owners.
 */
export function folderNames(owners: Iterable<string>): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const names = new Map<string, string>();
  for (const owner of owners) {
    if (names.has(owner)) continue;
    const plain = plainName(owner);
    let name = plain;
    for (let number = 2; taken.has(comparedName(name)); number += 1) name = `${plain}-${number}`;
    taken.add(comparedName(name));
    names.set(owner, name);
  }
  return names;
}

function plainName(owner: string): string {
  const words = owner.normalize("NFC").replaceAll(/[^\p{L}\p{M}\p{N}_]+/gu, "-");
  const name = trimmed(FIRST_CHARACTERS.exec(trimmed(words))?.[0] ?? "");
  return name === "" || RESERVED_ON_WINDOWS.test(name) ? `owner${name === "" ? "" : `-${name}`}` : name;
}

function trimmed(text: string): string {
  return text.replaceAll(/^-+|-+$/g, "");
}

/**
 * Returns a form of the name for comparison. Names that any file system treats as equal have the same form. The form
 * ignores case and uses a single Unicode form for each character.
 */
function comparedName(name: string): string {
  return name.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
}
