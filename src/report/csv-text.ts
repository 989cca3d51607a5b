import { stringify } from "csv-stringify/sync";
import { withoutFormula } from "../text/formula.ts";
import { plainText } from "../text/plain-text.ts";

/**
 * Renders rows as CSV, with RFC 4180 quoting and LF line breaks. Quotes cells that another program might otherwise read
 * differently: cells with line breaks of any kind, quotation marks, tabs, leading or trailing spaces, or a leading
 * apostrophe.
 */
export function csvText(rows: readonly (readonly string[])[], delimiter = ","): string {
  return stringify([...rows], { delimiter, record_delimiter: "\n", quoted_match: NEEDS_QUOTES });
}

const NEEDS_QUOTES = /["\r\n\t]|^[\s']|\s$/u;

/** Renders a cell for display only: safe on a terminal and in a spreadsheet. */
export function shownCell(cell: string): string {
  return withoutFormula(plainText(cell, Number.MAX_SAFE_INTEGER));
}
