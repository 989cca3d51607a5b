import { type Failure, failureAt } from "../../model/failure.ts";
import type { SourceFinding } from "../../model/problem.ts";
import type { Writable } from "../../model/writable.ts";
import { cellText, type RawCell, type WorkbookContext } from "./cell-text.ts";
import { newTextCollector } from "./shared-strings.ts";
import { isTrue } from "./workbook-parts.ts";
import { readXml, type WorkbookPart, type XmlAttributes, type XmlHandlers } from "./xml-reader.ts";
import { corruptPackage } from "./zip-package.ts";

/** A non-empty row of a sheet. */
export interface SheetRow {
  /** 1-based row number, as in spreadsheet programs. */
  readonly line: number;
  /** The cells up to the last non-empty cell. */
  readonly cells: readonly string[];
  /** Problems of cells, by the zero-based position of the cell; undefined if there are none. */
  readonly findings: ReadonlyMap<number, SourceFinding> | undefined;
}

/** Differences between the stored and the displayed sheet. Complete only after the sheet has been read. */
export interface SheetTraits {
  hiddenColumns: number;
  hiddenRows: number;
  mergedRanges: number;
}

/** Yields the rows of a sheet, from the first row, in batches. Omits empty rows. */
export async function* sheetRows(
  part: WorkbookPart,
  context: WorkbookContext,
  traits: SheetTraits,
): AsyncGenerator<readonly SheetRow[]> {
  const reader = newSheetReader(part, context, traits);
  for await (const _ of readXml(part, reader.handlers)) {
    const rows = reader.take();
    if (rows.length > 0) yield rows;
  }
  const rest = reader.take();
  if (rest.length > 0) yield rest;
}

function newSheetReader(part: WorkbookPart, context: WorkbookContext, traits: SheetTraits) {
  let done: SheetRow[] = [];
  let inData = false;
  const row = newRowReader(part, context);
  const handlers: XmlHandlers = {
    open: (name, attributes) => {
      if (name === "sheetData") inData = true;
      else if (inData) {
        if (name === "row" && isTrue(attributes["hidden"])) traits.hiddenRows += 1;
        row.open(name, attributes);
      } else if (name === "mergeCell") traits.mergedRanges += 1;
      else if (name === "col" && isTrue(attributes["hidden"])) traits.hiddenColumns += columnsOf(attributes);
    },
    close: (name) => {
      if (name === "sheetData") inData = false;
      if (!inData) return;
      row.close(name);
      const complete = name === "row" ? row.take() : undefined;
      if (complete !== undefined) done.push(complete);
    },
    text: row.text,
  };
  /** Returns the rows completed since the last call. */
  const take = (): readonly SheetRow[] => {
    const rows = done;
    done = [];
    return rows;
  };
  return { handlers, take };
}

function columnsOf({ min, max }: XmlAttributes): number {
  const count = Number(max) - Number(min) + 1;
  return Number.isInteger(count) && count > 0 ? count : 1;
}

/**
 * Returns a reader that builds rows from XML elements. Row and cell numbers are optional in the file. A missing number
 * counts as the previous number plus one.
 */
function newRowReader(part: WorkbookPart, context: WorkbookContext) {
  const { csvColumns, csvRecordBytes } = part.source.limits;
  const collector = newTextCollector();
  let line = 0;
  let cells: string[] = [];
  let findings: Map<number, SourceFinding> | undefined;
  let column = -1;
  let size = 0;
  let cell = newCell();
  let inValue = false;
  const openRow = (row: XmlAttributes): void => {
    line = rowNumber(row, line, part);
    cells = [];
    findings = undefined;
    column = -1;
    size = 0;
  };
  const openCell = (attributes: XmlAttributes): void => {
    column = cellIndex(attributes, column, part);
    if (column >= csvColumns) throw tooLarge(context.file, line, `more than ${csvColumns} columns`);
    cell = newCell(attributes);
  };
  const closeCell = (): void => {
    cell.inline = collector.take();
    const found = cellText(cell, context);
    const text = typeof found === "string" ? found : found.text;
    if (typeof found !== "string") (findings ??= new Map<number, SourceFinding>()).set(column, found.finding);
    size += Buffer.byteLength(text);
    if (size > csvRecordBytes) throw tooLarge(context.file, line, `more than ${csvRecordBytes} bytes`);
    if (text === "" && typeof found === "string") return;
    while (cells.length < column) cells.push("");
    cells.push(text);
  };
  return {
    open: (name: string, attributes: XmlAttributes): void => {
      if (name === "row") openRow(attributes);
      else if (name === "c") openCell(attributes);
      else if (name === "f") cell.hasFormula = true;
      else if (name === "v") {
        cell.value = "";
        inValue = true;
      } else collector.open(name);
    },
    close: (name: string): void => {
      if (name === "c") closeCell();
      else if (name === "v") inValue = false;
      else collector.close(name);
    },
    text: (text: string): void => {
      if (inValue) cell.value = (cell.value ?? "") + text;
      else collector.text(text);
    },
    /** Returns the completed row; undefined if the row is empty. */
    take: (): SheetRow | undefined =>
      findings !== undefined || cells.some(isFilled) ? { line, cells, findings } : undefined,
  };
}

function isFilled(text: string): boolean {
  return text.trim() !== "";
}

function newCell({ t = "n", s }: XmlAttributes = {}): Writable<RawCell> {
  return { type: t, style: s, value: undefined, inline: "", hasFormula: false };
}

function rowNumber({ r }: XmlAttributes, last: number, { source, part }: WorkbookPart): number {
  if (r !== undefined && !isRowNumber(r)) throw corruptPackage(source.file, `${part} has a row number out of range`);
  const number = r === undefined ? last + 1 : Number(r);
  if (number > last) return number;
  throw corruptPackage(source.file, `the rows of ${part} are out of order`);
}

function isRowNumber(text: string): boolean {
  return /^[0-9]{1,7}$/.test(text) && Number(text) >= 1 && Number(text) <= MAX_ROWS;
}

/** The maximum size of a sheet in all programs that write this format. */
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;

function cellIndex({ r }: XmlAttributes, last: number, { source, part }: WorkbookPart): number {
  const index = r === undefined ? last + 1 : columnIndex(r);
  if (r !== undefined && (index === undefined || index >= MAX_COLUMNS))
    throw corruptPackage(source.file, `${part} has a cell reference out of range`);
  if (index !== undefined && index > last) return index;
  throw corruptPackage(source.file, `the cells of a row in ${part} are out of order`);
}

function tooLarge(file: string, line: number, what: string): Failure {
  return failureAt("source_too_large", { file, line }, `the row has ${what}`, {
    hint: "check that the sheet is a table with one record per row",
  });
}

/** Returns the zero-based column of a cell reference: `AB12` -> 27. */
function columnIndex(reference: string): number | undefined {
  let index = 0;
  let at = 0;
  for (; at < reference.length; at += 1) {
    const code = reference.charCodeAt(at) & ~0x20;
    if (code < 65 || code > 90) break;
    index = index * 26 + (code - 64);
    if (at > 3) return undefined;
  }
  return at === 0 ? undefined : index - 1;
}
