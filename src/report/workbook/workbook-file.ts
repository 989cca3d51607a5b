import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { ZipFile } from "yazl";
import { styleNumber, stylesXml } from "./cell-style.ts";
import { type FinishedSheet, type SheetComment, columnName, xmlText } from "./sheet-writer.ts";

/** Writes finished sheets as one workbook (.xlsx, ECMA-376), as a stream. */
export async function writeWorkbook(
  sheets: readonly FinishedSheet[],
  write: (data: Uint8Array) => Promise<void>,
): Promise<void> {
  const zip = new ZipFile();
  const failed = new Promise<never>((_, reject) => {
    zip.on("error", reject);
  });
  failed.catch(() => undefined);
  for (const [name, content] of Object.entries(commonParts(sheets))) zip.addBuffer(Buffer.from(content), name, ENTRY);
  for (const [index, sheet] of sheets.entries()) addSheet(zip, sheet, index + 1);
  zip.end();
  const written = async (): Promise<void> => {
    for await (const chunk of zip.outputStream) if (Buffer.isBuffer(chunk)) await write(chunk);
  };
  await Promise.race([written(), failed]);
}

/** A fixed time, so that the same rows produce the same file. */
const ENTRY = { mtime: new Date("2000-01-01T00:00:00Z") };

function addSheet(zip: ZipFile, sheet: FinishedSheet, number: number): void {
  const { before, behind } = sheetFrame(sheet, number === 1);
  zip.addReadStream(Readable.from(around(before, sheet.rowsFile, behind)), `xl/worksheets/sheet${number}.xml`, ENTRY);
  if (sheet.comments.length === 0) return;
  zip.addBuffer(Buffer.from(sheetRelations(number)), `xl/worksheets/_rels/sheet${number}.xml.rels`, ENTRY);
  zip.addBuffer(Buffer.from(commentsXml(sheet.comments)), `xl/comments${number}.xml`, ENTRY);
  zip.addBuffer(Buffer.from(drawingXml(sheet.comments, number)), `xl/drawings/vmlDrawing${number}.vml`, ENTRY);
}

async function* around(before: string, file: string, behind: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(before);
  for await (const chunk of createReadStream(file)) if (Buffer.isBuffer(chunk)) yield chunk;
  yield Buffer.from(behind);
}

function commonParts(sheets: readonly FinishedSheet[]): Readonly<Record<string, string>> {
  const relations = sheets.map((_, index) => ({
    id: `rId${index + 1}`,
    type: `${RELATIONS}/worksheet`,
    target: `worksheets/sheet${index + 1}.xml`,
  }));
  relations.push({ id: `rId${sheets.length + 1}`, type: `${RELATIONS}/styles`, target: "styles.xml" });
  return {
    "[Content_Types].xml": contentTypes(sheets),
    "_rels/.rels": relationsXml([{ id: "rId1", type: `${RELATIONS}/officeDocument`, target: "xl/workbook.xml" }]),
    "xl/workbook.xml": workbookXml(sheets),
    "xl/_rels/workbook.xml.rels": relationsXml(relations),
    "xl/styles.xml": stylesXml(),
  };
}

const TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml";

function contentTypes(sheets: readonly FinishedSheet[]): string {
  const parts = sheets.flatMap(({ comments }, index) => [
    override(`worksheets/sheet${index + 1}`, "worksheet"),
    ...(comments.length > 0 ? [override(`comments${index + 1}`, "comments")] : []),
  ]);
  return (
    `${XML_HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>' +
    '<Default Extension="vml" ContentType="application/vnd.openxmlformats-officedocument.vmlDrawing"/>' +
    `${override("workbook", "sheet.main")}${override("styles", "styles")}${parts.join("")}</Types>`
  );
}

function override(part: string, type: string): string {
  return `<Override PartName="/xl/${part}.xml" ContentType="${TYPES}.${type}+xml"/>`;
}

function workbookXml(sheets: readonly FinishedSheet[]): string {
  const listed = sheets.map(
    ({ name }, index) => `<sheet name="${xmlText(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  );
  return (
    `${XML_HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><bookViews><workbookView/></bookViews>` +
    `<sheets>${listed.join("")}</sheets></workbook>`
  );
}

const XML_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

function sheetFrame(sheet: FinishedSheet, isFirst: boolean): { readonly before: string; readonly behind: string } {
  const { rows, columns, widths, comments } = sheet;
  const range = `A1:${columnName(Math.max(columns - 1, 0))}${Math.max(rows, 1)}`;
  const cols = widths.map(
    (width, index) =>
      `<col min="${index + 1}" max="${index + 1}" width="${Math.max(width + 3, 9)}" style="${styleNumber("text")}" customWidth="1"/>`,
  );
  return {
    before:
      `${XML_HEAD}<worksheet xmlns="${MAIN}" xmlns:r="${RELATIONS}">` +
      `<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr><dimension ref="${range}"/>` +
      `<sheetViews><sheetView${isFirst ? ' tabSelected="1"' : ""} workbookViewId="0">` +
      '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/><selection pane="bottomLeft"/></sheetView></sheetViews>' +
      `${cols.length > 0 ? `<cols>${cols.join("")}</cols>` : ""}<sheetData>\n`,
    behind:
      `</sheetData><autoFilter ref="${range}"/>${dropDownsXml(sheet)}` +
      '<pageSetup orientation="landscape" fitToWidth="1" fitToHeight="0"/>' +
      `<ignoredErrors><ignoredError sqref="${range}" numberStoredAsText="1"/></ignoredErrors>` +
      `${comments.length > 0 ? '<legacyDrawing r:id="rId1"/>' : ""}</worksheet>`,
  };
}

/** Users may enter other values after confirming a warning. */
function dropDownsXml({ dropDowns, rows }: FinishedSheet): string {
  if (dropDowns.length === 0 || rows < 2) return "";
  const written = dropDowns.map(({ column, range }) => {
    const name = columnName(column);
    return (
      '<dataValidation type="list" errorStyle="warning" allowBlank="1" showErrorMessage="1" ' +
      `errorTitle="Not in the list" error="The value is not in the list of known values. Keep it anyway?" ` +
      `sqref="${name}2:${name}${rows}"><formula1>${xmlText(range)}</formula1></dataValidation>`
    );
  });
  return `<dataValidations count="${written.length}">${written.join("")}</dataValidations>`;
}

function sheetRelations(number: number): string {
  return relationsXml([
    { id: "rId1", type: `${RELATIONS}/vmlDrawing`, target: `../drawings/vmlDrawing${number}.vml` },
    { id: "rId2", type: `${RELATIONS}/comments`, target: `../comments${number}.xml` },
  ]);
}

function relationsXml(
  relations: readonly { readonly id: string; readonly type: string; readonly target: string }[],
): string {
  const written = relations.map(
    ({ id, type, target }) => `<Relationship Id="${id}" Type="${type}" Target="${target}"/>`,
  );
  return `${XML_HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${written.join("")}</Relationships>`;
}

function commentsXml(comments: readonly SheetComment[]): string {
  const written = comments.map(
    ({ row, column, text }) =>
      `<comment ref="${columnName(column)}${row + 1}" authorId="0"><text><r><t xml:space="preserve">${xmlText(text)}</t></r></text></comment>`,
  );
  return (
    `${XML_HEAD}<comments xmlns="${MAIN}"><authors><author>migrate</author></authors>` +
    `<commentList>${written.join("")}</commentList></comments>`
  );
}

/** Renders the positions of comments. Excel shows no comments without this part, which uses the legacy format VML. */
function drawingXml(comments: readonly SheetComment[], sheetNumber: number): string {
  const shapes = comments.map(({ row, column, text }, index) => {
    const lines = text.split("\n").reduce((sum, line) => sum + 1 + Math.floor(line.length / 50), 0);
    return (
      `<v:shape id="_x0000_s${sheetNumber * 100_000 + index + 1}" type="#_x0000_t202" ` +
      `style="position:absolute;width:260pt;height:${16 + 14 * lines}pt;z-index:${index + 1};visibility:hidden" ` +
      'fillcolor="#ffffe1" o:insetmode="auto"><v:fill color2="#ffffe1"/><v:shadow on="t" color="black" obscured="t"/>' +
      '<v:path o:connecttype="none"/><v:textbox style="mso-direction-alt:auto"/><x:ClientData ObjectType="Note">' +
      `<x:MoveWithCells/><x:SizeWithCells/><x:Anchor>${anchor(row, column, lines)}</x:Anchor><x:AutoFill>False</x:AutoFill>` +
      `<x:Row>${row}</x:Row><x:Column>${column}</x:Column></x:ClientData></v:shape>`
    );
  });
  return (
    '<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" ' +
    'xmlns:x="urn:schemas-microsoft-com:office:excel"><o:shapelayout v:ext="edit">' +
    `<o:idmap v:ext="edit" data="${sheetNumber}"/></o:shapelayout><v:shapetype id="_x0000_t202" coordsize="21600,21600" ` +
    'o:spt="202" path="m,l,21600r21600,l21600,xe"><v:stroke joinstyle="miter"/><v:path gradientshapeok="t" ' +
    `o:connecttype="rect"/></v:shapetype>${shapes.join("")}</xml>`
  );
}

/**
 * Returns the corners of a comment in VML: left column, offset, top row, offset, right column, offset, bottom row,
 * offset.
 */
function anchor(row: number, column: number, lines: number): string {
  return [column + 1, 15, Math.max(row - 1, 0), 10, column + 4, 15, row + lines + 1, 4].join(", ");
}
