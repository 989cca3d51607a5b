import { stringify } from "csv-stringify/sync";
import { withoutFormula } from "../text/formula.ts";
import { plainText } from "../text/plain-text.ts";

/**
 * Renders rows as CSV (RFC 4180 quoting, LF line ends). Quotes cells that another program might otherwise read
 * differently: cells with line ends of any kind, quotes, tabs, leading or trailing spaces, or a leading apostrophe.
 */
export function csvText(rows: readonly (readonly string[])[], delimiter = ","): string {
  return stringify([...rows], { delimiter, record_delimiter: "\n", quoted_match: NEEDS_QUOTES });
}

const NEEDS_QUOTES = /["\r\n\t]|^[\s']|\s$/u;

/** Renders a cell for display only: safe on a terminal and in a spreadsheet. */
export function shownCell(cell: string): string {
  return withoutFormula(plainText(cell, Number.MAX_SAFE_INTEGER));
}
