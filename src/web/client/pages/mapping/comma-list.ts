/**
 * Writes texts separated by commas. An empty text, or a text with a comma, a quotation mark or outer white space, is
 * put in quotes.
 */
export function writeCommaList(texts: readonly string[]): string {
  return texts.map((text) => (/[",]|^\s|\s$|^$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(", ");
}

/**
 * Reads texts separated by commas. White space around a text is removed, unless the text is in quotes. Nothing between
 * two commas is an empty text; nothing before the first comma or after the last one is not.
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
