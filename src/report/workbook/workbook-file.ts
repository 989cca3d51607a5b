import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { ZipFile } from "yazl";
import {
  commentsXml,
  drawingXml,
  MAIN,
  RELATIONS,
  relationsXml,
  sheetFrame,
  sheetRelations,
  XML_HEAD,
} from "./sheet-parts.ts";
import type { FinishedSheet } from "./sheet-writer.ts";
import { stylesXml } from "./cell-style.ts";
import { xmlText } from "./xml-text.ts";

/** Writes finished sheets as one workbook (.xlsx, ECMA-376), in a stream. */
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
