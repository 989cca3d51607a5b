import { Chalk } from "chalk";
import { plainText } from "./plain-text.ts";
import { wrapText } from "./text-width.ts";

export interface StackEntry {
  readonly head: string;
  readonly body: string;
}

const INDENT = "    ";
const LONGEST_HEAD = 500;
const LONGEST_BODY = 4000;

/**
 * Entries one below the other, for what a table would have to cut: the head whole on its own line, and the body below
 * it, wrapped within `width`. Both are made safe to show.
 */
export function renderStack(
  entries: readonly StackEntry[],
  screen: { readonly width: number; readonly colour: boolean },
): string {
  const style = new Chalk({ level: screen.colour ? 1 : 0 });
  const lines = entries.flatMap(({ head, body }) => [
    style.bold(plainText(head, LONGEST_HEAD)),
    ...bodyLines(plainText(body, LONGEST_BODY), screen.width - INDENT.length),
  ]);
  return lines.map((line) => `${line}\n`).join("");
}

function bodyLines(body: string, width: number): readonly string[] {
  return body === "" ? [] : wrapText(body, width).map((line) => INDENT + line);
}
