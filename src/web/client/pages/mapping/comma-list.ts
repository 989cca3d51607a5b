/**
 * Writes texts separated by commas. Puts an empty text, or a text with a comma, a quotation mark or surrounding
 * whitespace, in quotes.
 */
export function writeCommaList(texts: readonly string[]): string {
  return texts.map((text) => (/[",]|^\s|\s$|^$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(", ");
}

/**
 * Reads texts separated by commas. Removes whitespace around a text, unless the text is in quotes. Two commas in a row
 * enclose an empty text. A comma at the start or the end adds no empty text.
 */
export function readCommaList(text: string): readonly string[] {
  const items = [...`,${text}`.matchAll(ITEM)];
  return items.flatMap(([, quoted, plain = ""], index) => {
    if (quoted !== undefined) return [quoted.replaceAll('""', '"')];
    const written = plain.trim();
    return written === "" && (index === 0 || index === items.length - 1) ? [] : [written];
  });
}

/** An item with the comma before it. A quotation mark counts only if the next one ends the item. */
const ITEM = /,(?:\s*"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))/g;
