import { INVISIBLE } from "./invisible.ts";

/**
 * Puts an apostrophe in front of a cell that a spreadsheet would evaluate as a formula. Such a cell starts with a tab,
 * a line break, or one of the signs `=`, `+`, `-`, `@` and their full-width forms. Whitespace, quotes, control
 * characters and invisible characters may precede the sign. Negative numbers are such cells too.
 */
export function withoutFormula(cell: string): string {
  return isFormula(cell) ? `'${cell}` : cell;
}

/** Undoes `withoutFormula`: removes the apostrophe in front of a cell that would otherwise be a formula. */
export function withFormula(cell: string): string {
  const rest = cell.slice(1);
  return cell.startsWith("'") && isFormula(rest) ? rest : cell;
}

/** Whether a spreadsheet might evaluate a cell as a formula. */
export function isFormula(cell: string): boolean {
  return FORMULA.test(cell);
}

const FORMULA = new RegExp(String.raw`^(?:[\t\r\n]|[\s\p{Cc}${INVISIBLE}"']*[=+\-@＝＋－＠])`, "u");
