/**
 * Style of a cell. All styles except `number` have the text format (`@`), so a spreadsheet program does not interpret
 * the content as a number, date or formula.
 */
export type CellStyle = "text" | "error" | "warning" | "note" | "header" | "number" | "wrapped";

const STYLES: Readonly<Record<CellStyle, string>> = {
  text: format(),
  error: format({ fillId: 2 }),
  warning: format({ fillId: 3 }),
  note: format({ fontId: 2 }),
  header: format({ fontId: 1, fillId: 4 }),
  number: format({ number: 3 }),
  wrapped: format({ wrap: ' wrapText="1"' }),
};
const STYLE_NAMES: readonly string[] = Object.keys(STYLES);

/** Returns the number of a style in {@link stylesXml}. Number 0 is the default style of the workbook. */
export function styleNumber(style: CellStyle): number {
  return STYLE_NAMES.indexOf(style) + 1;
}

export function stylesXml(): string {
  return (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
    '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' +
    `<fonts count="3">${font("")}${font("<b/>")}${font("", "FF666666")}</fonts>` +
    '<fills count="5"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>' +
    `${fill("FFFFC7CE")}${fill("FFFFEB9C")}${fill("FFE7E6E6")}</fills>` +
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
    `<cellXfs count="${STYLE_NAMES.length + 1}"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
    Object.values(STYLES).join("") +
    '</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
  );
}

function font(bold: string, colour = "FF000000"): string {
  return `<font>${bold}<sz val="10"/><color rgb="${colour}"/><name val="Arial"/><family val="2"/></font>`;
}

function fill(colour: string): string {
  return `<fill><patternFill patternType="solid"><fgColor rgb="${colour}"/><bgColor indexed="64"/></patternFill></fill>`;
}

function format({ number = 49, fontId = 0, fillId = 0, wrap = "" } = {}): string {
  return (
    `<xf numFmtId="${number}" fontId="${fontId}" fillId="${fillId}" borderId="0" xfId="0" applyNumberFormat="1" ` +
    `applyFont="1" applyFill="1" applyAlignment="1"><alignment vertical="top"${wrap}/></xf>`
  );
}
