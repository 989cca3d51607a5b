const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uFF01-\uFF60]/u;
const COMBINING_MARK = /\p{M}/u;
const ASCII = /^[\x20-\x7E]*$/;

/** Columns that a plain text takes on a terminal: wide letters take two, combining marks none. */
export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** The text cut to so many columns, with an ellipsis where something is missing. */
export function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let cut = "";
  let used = 1;
  for (const character of text) {
    used += characterWidth(character);
    if (used > width) break;
    cut += character;
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

function characterWidth(character: string): number {
  if (COMBINING_MARK.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
