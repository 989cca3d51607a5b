import stringWidth from "string-width";

const ASCII = /^[\x20-\x7E]*$/;

/** Columns that a plain text takes on a terminal: wide characters and emoji take two, combining marks none. */
export function textWidth(text: string): number {
  return ASCII.test(text) ? text.length : stringWidth(text);
}

/** What a reader takes for one character: a letter with its marks, an emoji with all that is joined to it. */
const CHARACTERS = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The text cut to so many columns, with an ellipsis where something is missing. */
export function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let cut = "";
  let used = 1;
  for (const { segment } of CHARACTERS.segment(text)) {
    used += textWidth(segment);
    if (used > width) break;
    cut += segment;
  }
  return `${cut}…`;
}

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
