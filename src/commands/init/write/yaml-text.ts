import { DECEPTIVE } from "../../../text/invisible.ts";

/** A text as a YAML scalar that can stand anywhere, also between braces: plain where that is safe, else in quotes. */
export function yamlText(text: string): string {
  return PLAIN.test(text) && !RESERVED.test(text) && !UNSEEN_ONCE.test(text)
    ? text
    : JSON.stringify(text).replaceAll(UNSEEN, escaped);
}

const PLAIN = /^(?:\.{0,2}\/)*[\p{L}_](?:[\p{L}\d_./+&()-]|[ ](?=[\p{L}\d_./+&()-]))*$/u;
/** What YAML 1.1 or 1.2 reads as something else than text. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n|~)$/i;

const UNSEEN = new RegExp(String.raw`[\p{Cc}${DECEPTIVE}]`, "gu");
const UNSEEN_ONCE = new RegExp(UNSEEN, "u");

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? String.raw`\U${code.padStart(8, "0")}` : String.raw`\u${code.padStart(4, "0")}`;
}

/** On one line, with no character that ends a comment or hides in it. */
function commentText(text: string): string {
  return text.replaceAll(UNSEEN, " ");
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
