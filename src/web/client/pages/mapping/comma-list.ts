/** Writes texts separated by commas. A text with a comma, a quotation mark or outer white space is put in quotes. */
export function writeCommaList(texts: readonly string[]): string {
  return texts.map((text) => (/[",]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(", ");
}

/** Reads texts separated by commas. White space around a text is removed, unless the text is in quotes. */
export function readCommaList(text: string): readonly string[] {
  return [...`,${text}`.matchAll(ITEM)].map(([, quoted, plain = ""]) =>
    quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'),
  );
}

/** An item with the comma before it. A quotation mark counts only if the next one ends the item. */
const ITEM = /,(?:\s*"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))/g;
