import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { ZipFile } from "yazl";
import { temporaryFolder } from "../../temporary-folder.ts";

const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";

/** A workbook of hand-written XML. `sheets` maps the name of each sheet to the content of its `sheetData`. */
export interface RawWorkbook {
  readonly sheets?: Readonly<Record<string, string>>;
  /** The state of a sheet by its name: `hidden`, `veryHidden`. */
  readonly states?: Readonly<Record<string, string>>;
  /** The items of `sharedStrings.xml`. */
  readonly strings?: string;
  /** Number formats of the styles 1, 2, ...: a built-in number or a format code. */
  readonly formats?: readonly (number | string)[];
  readonly from1904?: boolean;
  /** XML of `workbook.xml` after the list of sheets. */
  readonly extension?: string;
  /** XML of `styles.xml` after the formats of cells. */
  readonly conditional?: string;
  /** Parts to add or replace. */
  readonly parts?: Readonly<Record<string, string | Buffer>>;
  /** The XML of a sheet after (`behind`) and before (`before`) `sheetData`. */
  readonly behind?: string;
  readonly before?: string;
}

/** Writes the workbook to a file in a new folder and returns its path. */
export async function rawWorkbook(workbook: RawWorkbook, name = "book.xlsx"): Promise<string> {
  const path = join(temporaryFolder(), name);
  await writeFile(path, await workbookBytes(workbook));
  return path;
}

export function workbookBytes(workbook: RawWorkbook): Promise<Buffer> {
  return zipped(partsOf(workbook));
}

export async function zipped(parts: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(parts)) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  return buffer(zip.outputStream);
}

function partsOf(workbook: RawWorkbook): Record<string, string | Buffer> {
  const { sheets = {}, states = {}, before = "", behind = "" } = workbook;
  const names = Object.keys(sheets);
  const sheetParts = names.map((name, index): [string, string] => [
    `xl/worksheets/sheet${index + 1}.xml`,
    `<worksheet xmlns="${MAIN}">${before}<sheetData>${sheets[name] ?? ""}</sheetData>${behind}</worksheet>`,
  ]);
  const listed = names.map(
    (name, index) =>
      `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"${states[name] === undefined ? "" : ` state="${states[name]}"`}/>`,
  );
  const targets = names.map((_, index) => relation(`rId${index + 1}`, "worksheet", `worksheets/sheet${index + 1}.xml`));
  targets.push(relation("rS", "styles", "styles.xml"), relation("rT", "sharedStrings", "/xl/sharedStrings.xml"));
  return {
    "[Content_Types].xml": `<Types xmlns="${PACKAGE}/content-types"/>`,
    "_rels/.rels": relations(relation("rId1", "officeDocument", "xl/workbook.xml")),
    "xl/workbook.xml":
      `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><workbookPr${workbook.from1904 ? ' date1904="1"' : ""}/>` +
      `<sheets>${listed.join("")}</sheets>${workbook.extension ?? ""}</workbook>`,
    "xl/_rels/workbook.xml.rels": relations(targets.join("")),
    "xl/styles.xml": styles(workbook),
    "xl/sharedStrings.xml": `<sst xmlns="${MAIN}">${workbook.strings ?? ""}</sst>`,
    ...Object.fromEntries(sheetParts),
    ...workbook.parts,
  };
}

function relations(entries: string): string {
  return `<?xml version="1.0"?><Relationships xmlns="${PACKAGE}/relationships">${entries}</Relationships>`;
}

function relation(id: string, type: string, target: string): string {
  return `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
}

function styles({ formats = [], conditional = "" }: RawWorkbook): string {
  const codes = formats.map((format, index) =>
    typeof format === "number"
      ? ""
      : `<numFmt numFmtId="${200 + index}" formatCode="${format.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"/>`,
  );
  const cells = formats.map((format, index) => `<xf numFmtId="${typeof format === "number" ? format : 200 + index}"/>`);
  return (
    `<styleSheet xmlns="${MAIN}"><numFmts>${codes.join("")}</numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs>` +
    `<cellXfs><xf numFmtId="0"/>${cells.join("")}</cellXfs>${conditional}</styleSheet>`
  );
}

/** Returns the XML of a row of cells with inline text. */
export function textRow(line: number, texts: readonly string[]): string {
  const cells = texts.map((text) => `<c t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`);
  return `<row r="${line}">${cells.join("")}</row>`;
}
