import { isFormula } from "../../../../text/formula.ts";

/**
 * Parses text that was copied from a spreadsheet. Tabs separate columns and line breaks separate rows; a quoted cell
 * may contain both. All values are strings. Removes an apostrophe that protects a formula.
 */
export function parseTable(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [[]];
  let at = 0;
  while (at <= text.length) {
    const { cell, end } = text[at] === '"' ? (quotedCell(text, at) ?? plainCell(text, at)) : plainCell(text, at);
    rows.at(-1)?.push(unprotected(cell));
    if (end >= text.length) break;
    at = text.startsWith("\r\n", end) ? end + 2 : end + 1;
    if (text[end] === "\t") continue;
    // A spreadsheet ends every row with a line break.
    if (at >= text.length) break;
    rows.push([]);
  }
  return rows;
}

interface ParsedCell {
  readonly cell: string;
  /** The position of the separator after the cell. */
  readonly end: number;
}

function plainCell(text: string, from: number): ParsedCell {
  const separator = /[\t\r\n]/g;
  separator.lastIndex = from;
  const end = separator.exec(text)?.index ?? text.length;
  return { cell: text.slice(from, end), end };
}

/**
 * Parses a quoted cell. Returns undefined if the quotation marks do not enclose the entire cell and are therefore part
 * of the value.
 */
function quotedCell(text: string, from: number): ParsedCell | undefined {
  let at = from + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return undefined;
    if (text[quote + 1] === '"') {
      at = quote + 2;
      continue;
    }
    const isEnd = quote + 1 === text.length || /[\t\r\n]/.test(text[quote + 1] ?? "");
    return isEnd ? { cell: text.slice(from + 1, quote).replaceAll('""', '"'), end: quote + 1 } : undefined;
  }
}

/** Formats cells as tab-separated text for the clipboard. A spreadsheet that pastes the text does not run formulas. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const lines = rows.map((cells) => cells.map((cell) => quoted(protectedCell(cell))).join("\t"));
  return lines.length < 2 ? lines.join("") : lines.map((line) => `${line}\n`).join("");
}

function quoted(cell: string): string {
  return /[\t\r\n]|^"/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Adds an apostrophe before a formula, so that a spreadsheet keeps the cell as text. */
function protectedCell(cell: string): string {
  return needsProtection(cell) ? `'${cell}` : cell;
}

function unprotected(cell: string): string {
  return cell.startsWith("'") && needsProtection(cell) ? cell.slice(1) : cell;
}

/**
 * Whether the cell is a formula, possibly after apostrophes. The value `'=A1` therefore also gets an apostrophe, so
 * that it differs from the protected form of `=A1`.
 */
function needsProtection(cell: string): boolean {
  return isFormula(cell.replace(/^'+/, ""));
}
