import { createRequire } from "node:module";
import type * as StringWidth from "string-width";

/** Each takes one column: ASCII, Latin letters, and what stands where a text was cut. */
const NARROW = /^[\x20-\x7E\xA1-\xA8\xAA-\xAC\xAF-\u024F…]*$/;

/** Columns that a plain text takes on a terminal: wide characters and emoji take two, combining marks none. */
export function textWidth(text: string): number {
  return NARROW.test(text) ? text.length : widthOfOthers(text);
}

let stringWidth: typeof StringWidth | undefined;

/** Loaded for the first text that needs it: that takes as long as a short command. */
function widthOfOthers(text: string): number {
  const load = createRequire(import.meta.url);
  stringWidth ??= load("string-width");
  return stringWidth?.default(text) ?? text.length;
}

/** The text cut to so many columns, with an ellipsis where something is missing. */
export function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  if (NARROW.test(text)) return `${text.slice(0, Math.max(0, width - 1))}…`;
  // What a reader takes for one character: a letter with its marks, an emoji with all that is joined to it.
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

/** Made for the first text that needs it, as the first use of \`Intl\` in a process takes long. */
let characters: Intl.Segmenter | undefined;

/** The text in lines of at most so many columns, broken at spaces; a longer word keeps a line of its own. */
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
