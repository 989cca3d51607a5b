/**
 * Returns a sheet name that spreadsheet programs accept and that is not in `taken`, and adds it to `taken`. Names have
 * at most 31 characters, none of `[ ] : * ? / \`, and no apostrophe at either end.
 */
export function sheetNameFor(source: string, taken: Set<string>): string {
  const plain = source
    .replaceAll(/[[\]:*?/\\\p{Cc}\uFFFE\uFFFF]/gu, "_")
    .replaceAll(/^'|'$/g, "_")
    .slice(0, MAX_LENGTH)
    .trim();
  const base = plain === "" || plain.toLowerCase() === "history" ? `sheet ${plain}`.trim() : plain;
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? "" : `~${number}`;
    const name = base.slice(0, MAX_LENGTH - suffix.length) + suffix;
    const alike = name.normalize("NFC").toLowerCase();
    if (taken.has(alike)) continue;
    taken.add(alike);
    return name;
  }
}

const MAX_LENGTH = 31;
