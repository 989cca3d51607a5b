import { DECEPTIVE } from "./invisible.ts";

const UNSAFE = new RegExp(String.raw`[\p{C}${DECEPTIVE}]`, "gu");
const UNSAFE_ONCE = new RegExp(UNSAFE, "u");

/**
 * Makes external text (cells, file names, the platform's replies) safe for one line of a terminal. Control characters,
 * escape sequences, bidirectional marks and invisible characters become visible escapes, such as `\u001b`. Text longer
 * than `limit` characters is cut with an ellipsis.
 */
export function plainText(text: string, limit = 500): string {
  const cut = text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
  return UNSAFE_ONCE.test(cut) ? cut.replace(UNSAFE, visibleEscape) : cut;
}

/** Undoes `plainText` for text that was not cut. Also decodes escapes that were already in the original text. */
export function fromPlainText(text: string): string {
  return text.replace(VISIBLE_ESCAPE, (_, wide: string | undefined, narrow: string | undefined) => {
    const code = Number.parseInt(wide ?? narrow ?? "", 16);
    return code > 0x10_ffff ? "" : String.fromCodePoint(code);
  });
}

const VISIBLE_ESCAPE = /\\u(?:\{([0-9a-f]{5,6})\}|([0-9a-f]{4}))/g;

/**
 * Joins multi-line text (a reply's detail) into one line: each run of whitespace becomes a single space, then
 * `plainText` applies.
 */
export function plainLine(text: string, limit = 500): string {
  return plainText(
    text
      .slice(0, limit * 2)
      .replace(/\s+/gu, " ")
      .trim(),
    limit,
  );
}

/** Makes text of any length, with any number of lines, safe for a terminal. Keeps line feeds and tabs. */
export function plainLines(text: string): string {
  return text
    .split(/([\n\t])/)
    .map((part) => (part === "\n" || part === "\t" ? part : plainText(part, Infinity)))
    .join("");
}

function visibleEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, "0")}`;
}
