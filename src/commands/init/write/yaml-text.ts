import { wrapText } from "../../../terminal/text-width.ts";
import { DECEPTIVE } from "../../../text/invisible.ts";

/**
 * Renders text as a YAML scalar that is valid anywhere, including in flow collections. Quotes the text only if
 * necessary.
 */
export function yamlText(text: string): string {
  return PLAIN.test(text) && !RESERVED.test(text) && !UNSEEN_ONCE.test(text)
    ? text
    : JSON.stringify(text).replaceAll(UNSEEN, escaped);
}

const PLAIN = /^(?:\.{0,2}\/)*[\p{L}_](?:[\p{L}\d_./+&()-]|[ ](?=[\p{L}\d_./+&()-]))*$/u;
/** Words that YAML 1.1 or 1.2 does not read as strings. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n|~)$/i;

const UNSEEN = new RegExp(String.raw`[\p{Cc}${DECEPTIVE}]`, "gu");
const UNSEEN_ONCE = new RegExp(UNSEEN, "u");

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? String.raw`\U${code.padStart(8, "0")}` : String.raw`\u${code.padStart(4, "0")}`;
}

export interface Line {
  readonly depth: number;
  /** Empty for a line that contains only a comment. */
  readonly text: string;
  readonly comment?: string | undefined;
}

export const BLANK: Line = { depth: 0, text: "" };

export function commentLine(depth: number, comment: string): Line {
  return { depth, text: "", comment };
}

const COMMENT_COLUMN = 56;
const WIDTH = 118;

/** Renders lines with indentation. Comments are aligned if there is room, and wrapped on separate lines if not. */
export function renderLines(lines: readonly Line[]): string {
  return lines
    .flatMap(renderLine)
    .map((line) => `${line.trimEnd()}\n`)
    .join("");
}

function renderLine({ depth, text, comment }: Line): readonly string[] {
  const indent = "  ".repeat(depth);
  if (comment === undefined || comment === "") return [indent + text];
  // A line break or an invisible or deceptive character becomes a space.
  const words = comment.replaceAll(UNSEEN, " ");
  const head = `${(indent + text).padEnd(COMMENT_COLUMN)}  # ${words}`;
  if (text !== "" && head.length <= WIDTH) return [head];
  const width = WIDTH - indent.length - 2;
  const parts = words.length <= width ? [words] : wrapText(words, width);
  const above = parts.map((part) => `${indent}# ${part}`);
  return text === "" ? above : [...above, indent + text];
}

/** Each schema file is next to the file that it describes. The first line of that file names the schema. */
export const MAPPING_SCHEMA_FILE = "mapping.schema.json";
export const CONFIG_SCHEMA_FILE = "migrate.schema.json";

export function schemaLine(file: string): string {
  return `yaml-language-server: $schema=${file}`;
}
