import { writeFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { textRow, workbookBytes } from "../../read/workbook/raw-workbook.ts";
import { CELLS, COLUMNS, GOOD } from "./odd-records.ts";

/** The XML of cells with inline text, and of other kinds of cells. */
const cell = fc.oneof(
  { weight: 3, arbitrary: CELLS.filter(isXmlText).map(textCell) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "<c><v>12.5</v></c>",
      "<c><v>123456789012345678</v></c>",
      '<c t="b"><v>1</v></c>',
      '<c t="e"><v>#N/A</v></c>',
      "<c><f>A1</f></c>",
      textCell("_xD83D_"),
      textCell("_x0007_"),
      textCell("_x000D_"),
    ),
  },
);
/** Two empty cells beyond the last column. */
const MORE = ["<c/>", "<c/>"];

const row = fc
  .tuple(
    fc.nat(99),
    fc.array(fc.tuple(fc.nat(COLUMNS.length + 1), cell), { maxLength: 3 }),
    fc.constantFrom(0, 0, 0, 0, 1, 2),
  )
  .map(([number, changes, blankRows]) => {
    const cells = [...GOOD.with(0, `A${number}`).map(textCell), ...MORE];
    for (const [column, xml] of changes) cells[column] = xml;
    return `${"<row></row>".repeat(blankRows)}<row>${cells.join("")}</row>`;
  });
/** The rows of a sheet as XML: valid rows, except for a few cells. */
export const sheet: fc.Arbitrary<string> = fc
  .array(row, { minLength: 1, maxLength: 40 })
  .map((rows) => textRow(1, COLUMNS) + rows.join(""));

/** XML cannot contain NUL or most other control characters. */
function isXmlText(text: string): boolean {
  return !text.includes("\u0000") && !text.includes("\u0007");
}

function textCell(text: string): string {
  return `<c t="inlineStr"><is><t xml:space="preserve">${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</t></is></c>`;
}

/** Writes a workbook with these rows to `things.xlsx`. */
export async function writeSheet(folder: string, sheetData: string): Promise<void> {
  writeFileSync(path.join(folder, "things.xlsx"), await workbookBytes({ sheets: { Things: sheetData } }));
}
