import { stringify } from "csv-stringify/sync";
import { withFormula, withoutFormula } from "../text/formula.ts";
import { fromPlainText, plainText } from "../text/plain-text.ts";

/**
 * Renders rows as CSV, with RFC 4180 quoting and LF line endings. Also quotes cells that another program might
 * otherwise read differently: cells with a tab, leading or trailing whitespace, or a leading apostrophe.
 */
export function csvText(rows: readonly (readonly string[])[], delimiter = ","): string {
  return stringify([...rows], { delimiter, record_delimiter: "\n", quoted_match: NEEDS_QUOTES });
}

const NEEDS_QUOTES = /["\r\n\t]|^[\s']|\s$/u;

/** Makes a cell safe to display on a terminal and in a spreadsheet. The result may differ from the cell. */
export function shownCell(cell: string): string {
  return withoutFormula(plainText(cell, Number.MAX_SAFE_INTEGER));
}

/** Returns a cell for which `shownCell` returns `shown`. There may be several such cells. */
export function originalCell(shown: string): string {
  return fromPlainText(withFormula(shown));
}
