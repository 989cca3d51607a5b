/**
 * Escapes text for the XML of a workbook. Characters that XML cannot hold are written in the form `_x0000_`, as the
 * format requires (ECMA-376 part 1, 22.9.2.19). A lone surrogate has no representation, and becomes U+FFFD.
 */
export function xmlText(text: string): string {
  const plain = UNSAFE_CHARACTERS.test(text)
    ? text
        .replace(LIKE_ESCAPE, "_x005F_")
        .replace(NO_XML, escaped)
        .replace(/\p{Surrogate}/gu, "\uFFFD")
    : text;
  return plain.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

const UNSAFE_CHARACTERS = /_x|[^\t\n -\uD7FF]/;
const LIKE_ESCAPE = /_(?=x[0-9A-Fa-f]{4}_)/g;
/** Includes the carriage return, which would be read as a line feed. */
const NO_XML = /(?![\t\n])\p{Cc}|[\uFFFE\uFFFF]/gu;
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(character: string): string {
  return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`;
}

/** Returns the name of a column, such as `AB`, by its zero-based position. */
export function columnName(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : columnName(Math.floor(index / 26) - 1) + last;
}
