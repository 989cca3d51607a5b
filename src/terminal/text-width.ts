import { createRequire } from "node:module";
import type * as StringWidth from "string-width";

/** Text whose characters each take one column: ASCII, Latin letters, and the ellipsis of cut text. */
const NARROW = /^[\x20-\x7E\xA1-\xA8\xAA-\xAC\xAF-\u024F…]*$/;

/**
 * Returns the number of terminal columns of plain text. Wide characters and emoji take two columns. Combining marks
 * take none.
 */
export function textWidth(text: string): number {
  return NARROW.test(text) ? text.length : widthOfOthers(text);
}

let stringWidth: typeof StringWidth | undefined;

/** Returns the width of text that does not match `NARROW`. Loads the package on first use, because loading is slow. */
function widthOfOthers(text: string): number {
  const load = createRequire(import.meta.url);
  stringWidth ??= load("string-width");
  return stringWidth?.default(text) ?? text.length;
}

/** Returns the text cut to `width` columns, with an ellipsis if any text is missing. */
export function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  if (NARROW.test(text)) return `${text.slice(0, Math.max(0, width - 1))}…`;
  // A grapheme cluster is a letter with its marks, or an emoji with all characters joined to it.
  characters ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  let cut = "";
  let used = 1;
  for (const { segment } of characters.segment(text)) {
    used += textWidth(segment);
    if (used > width) break;
    cut += segment;
  }
  return `${cut}…`;
}

/** Created on first use, because the first use of `Intl` in a process is slow. */
let characters: Intl.Segmenter | undefined;

/**
 * Shortens a comma-separated list of phrases. If the list exceeds `width` columns, an ellipsis replaces its last
 * phrases.
 */
export function cutPhrases(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  const phrases = text.split(", ");
  for (let kept = phrases.length - 1; kept > 0; kept -= 1) {
    const shorter = `${phrases.slice(0, kept).join(", ")}, …`;
    if (textWidth(shorter) <= width) return shorter;
  }
  return cutText(text, width);
}

/** Wraps the text at spaces, in lines of at most `width` columns. A longer word gets its own line. */
export function wrapText(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && textWidth(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}
