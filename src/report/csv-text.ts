import { stringify } from "csv-stringify/sync";
import { INVISIBLE } from "../text/invisible.ts";
import { plainText } from "../text/plain-text.ts";

/**
 * Rows as CSV text (RFC 4180 in quoting, lines ended by LF). A cell is quoted when another program might otherwise
 * read it differently: line ends of any kind, quotes, tabs, spaces at its ends, a leading apostrophe.
 */
export function csvText(rows: readonly (readonly string[])[], delimiter = ","): string {
  return stringify([...rows], { delimiter, record_delimiter: "\n", quoted_match: NEEDS_QUOTES });
}

const NEEDS_QUOTES = /["\r\n\t]|^[\s']|\s$/u;

/** A cell that is shown and not read back: harmless on a terminal and in a spreadsheet. */
export function shownCell(cell: string): string {
  return withoutFormula(plainText(cell, Number.MAX_SAFE_INTEGER));
}

/**
 * A cell that a spreadsheet would run as a formula gets an apostrophe in front: one that starts with `=`, `+`, `-`, `@`,
 * their full-width forms, a tab or a line end, also after spaces, quotes, control characters and invisible characters. A
 * negative number counts as one, too.
 */
export function withoutFormula(cell: string): string {
  return FORMULA.test(cell) ? `'${cell}` : cell;
}

const FORMULA = new RegExp(String.raw`^(?:[\t\r\n]|[\s\p{Cc}${INVISIBLE}"']*[=+\-@＝＋－＠])`, "u");
