import { Failure } from "../../model/failure.ts";
import type { Sheet } from "./workbook-parts.ts";

/**
 * Returns the sheet with this name, ignoring case; default: the first visible sheet.
 * @throws Failure `usage` for a missing sheet, `source_empty` if no sheet is visible
 */
export function chosenSheet(file: string, sheets: readonly Sheet[], wanted: string | undefined): Sheet {
  const found =
    wanted === undefined
      ? sheets.find(({ isHidden }) => !isHidden)
      : sheets.find(({ name }) => normalisedName(name) === normalisedName(wanted));
  if (found !== undefined) return found;
  if (wanted === undefined) {
    throw new Failure("source_empty", `${file}: the workbook has no visible sheet with cells`, {
      hint: `to read a hidden sheet, name it: ${file}#<sheet>`,
    });
  }
  throw new Failure("usage", `${file}: has no sheet "${wanted}"`, { hint: `its sheets are: ${sheetNames(sheets)}` });
}

/** Returns the notice that a workbook has other sheets, which are not read. */
export function otherSheets(file: string, { name }: Sheet, sheets: readonly Sheet[]): string {
  const others = sheets.filter((sheet) => sheet.name !== name);
  return (
    `reads the sheet "${name}", not ${sheetNames(others)}; ` +
    `to read another sheet, use "${file}#${others[0]?.name ?? ""}", or sheet: in the mapping`
  );
}

/** Normalises a name. Spreadsheet programs do not distinguish names that have the same normal form. */
function normalisedName(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

function sheetNames(sheets: readonly Sheet[]): string {
  const names = sheets.slice(0, MAX_LISTED).map(({ name, isHidden }) => `"${name}"${isHidden ? " (hidden)" : ""}`);
  const more = sheets.length - names.length;
  return more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", ");
}

const MAX_LISTED = 10;
