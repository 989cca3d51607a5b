/** A text as a YAML scalar that can stand anywhere, also between braces: plain where that is safe, else in quotes. */
export function yamlText(text: string): string {
  return PLAIN.test(text) && !RESERVED.test(text)
    ? text
    : JSON.stringify(text).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

const PLAIN = /^(?:\.{0,2}\/)*[\p{L}_](?:[\p{L}\d_./+&()-]|[ ](?=[\p{L}\d_./+&()-]))*$/u;
/** What YAML 1.1 or 1.2 reads as something else than text. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n|~)$/i;

/** On one line, with no character that ends a comment or hides in it. */
function commentText(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
}

/** One line of a file that is being written. */
export interface Line {
  readonly depth: number;
  /** Empty for a line that holds a comment alone. */
  readonly text: string;
  readonly comment?: string | undefined;
}

const COMMENT_COLUMN = 56;
const WIDTH = 118;

/** The lines, indented; comments stand below each other where there is room, and wrap where they stand alone. */
export function renderLines(lines: readonly Line[]): string {
  return lines
    .flatMap(renderLine)
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}

function renderLine({ depth, text, comment }: Line): readonly string[] {
  const indent = "  ".repeat(depth);
  if (comment === undefined || comment === "") return [indent + text];
  const words = commentText(comment);
  if (text === "") return wrapped(words, WIDTH - indent.length - 2).map((part) => `${indent}# ${part}`);
  const head = `${(indent + text).padEnd(COMMENT_COLUMN)}  # ${words}`;
  if (head.length <= WIDTH) return [head];
  return [...wrapped(words, WIDTH - indent.length - 2).map((part) => `${indent}# ${part}`), indent + text];
}

function wrapped(text: string, width: number): readonly string[] {
  if (text.length <= width) return [text];
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  return line === "" ? lines : [...lines, line];
}
