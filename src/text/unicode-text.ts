/** Removes surrounding whitespace as Python's `str.strip` does, which differs slightly from `trim`. */
export function strip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start += 1;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end -= 1;
  return end - start === text.length ? text : text.slice(start, end);
}

/**
 * Returns the number of characters (code points) as counted by Python's `len`. An unpaired surrogate counts as one
 * character.
 */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/**
 * Whether a string contains neither null characters nor surrogates (paired or not). Most strings are plain and need no
 * further checks.
 */
export function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0 || (code >= 0xd800 && code <= 0xdfff)) return false;
  }
  return true;
}

function isSpace(code: number): boolean {
  if (code > 0x20 && code < 0x7f) return false;
  const separator = (code >= 0x1c && code <= 0x1f) || code === 0x85;
  return separator || (code !== 0xfeff && /\s/.test(String.fromCharCode(code)));
}
