import type { ReportFolder, ScratchFile } from "../report-folder.ts";
import { type CellStyle, styleNumber } from "./cell-style.ts";

/** A cell of a sheet. Text stays text, even if it looks like a number, a date or a formula. */
export interface SheetCell {
  readonly value: string | number;
  readonly style: CellStyle;
  /** Shown while the mouse pointer is over the cell. */
  readonly comment?: string;
}

/** A drop-down list for a column. The choices are in a range of another sheet. */
export interface DropDown {
  /** Zero-based index of the column. */
  readonly column: number;
  /** Reference of the range, such as `'Allowed values'!$A$2:$A$9`. */
  readonly range: string;
}

export interface SheetComment {
  /** Zero-based index of the row. */
  readonly row: number;
  readonly column: number;
  readonly text: string;
}

/** A sheet of a workbook, with its rows on disk. */
export interface FinishedSheet {
  readonly name: string;
  /** Number of rows, including the header. */
  readonly rows: number;
  readonly columns: number;
  /** Widths of the columns, in characters. */
  readonly widths: readonly number[];
  /** Path of the file that contains the rows as XML. */
  readonly rowsFile: string;
  readonly comments: readonly SheetComment[];
  readonly dropDowns: readonly DropDown[];
}

export interface SheetWriter {
  readonly name: string;
  /** Returns false if the sheet is full, or if a cell is too long. */
  readonly add: (cells: readonly SheetCell[]) => boolean;
  readonly flush: () => Promise<unknown>;
  readonly finish: (dropDowns?: readonly DropDown[]) => Promise<FinishedSheet>;
}

/** Limits of spreadsheet programs: rows per sheet, and characters per cell. */
const MAX_ROWS = 1_048_576;
const MAX_CELL_CHARACTERS = 32_767;
/**
 * Maximum number of comments. More comments would slow down spreadsheet programs. The cells of the row also describe
 * the problems.
 */
const MAX_COMMENTS = 10_000;
const MAX_WIDTH = 60;

/**
 * Opens a sheet that is written row by row. The first row is the header. Apart from rows that are not flushed yet,
 * memory grows only with the comments, which are limited.
 */
export function openSheet(folder: ReportFolder, name: string): SheetWriter {
  let file: ScratchFile | undefined;
  const widths: number[] = [];
  const comments: SheetComment[] = [];
  let waiting = "";
  let rows = 0;
  let columns = 0;
  const flush = async (): Promise<ScratchFile> => {
    file ??= await folder.scratch();
    const xml = waiting;
    waiting = "";
    await file.write(xml);
    return file;
  };
  return {
    name,
    add: (cells) => {
      if (rows === MAX_ROWS || cells.some(({ value }) => isTooLong(value))) return false;
      for (const [column, { value, comment }] of cells.entries()) {
        widths[column] = Math.max(widths[column] ?? 0, widthOf(value));
        if (comment !== undefined && comments.length < MAX_COMMENTS)
          comments.push({ row: rows, column, text: comment });
      }
      columns = Math.max(columns, cells.length);
      rows += 1;
      waiting += rowXml(rows, cells);
      return true;
    },
    flush,
    finish: async (dropDowns = []) => {
      const rowsFile = await (await flush()).finish();
      return { name, rows, columns, widths, rowsFile, comments, dropDowns };
    },
  };
}

function isTooLong(value: string | number): boolean {
  return typeof value === "string" && value.length > MAX_CELL_CHARACTERS;
}

function widthOf(value: string | number): number {
  const longest = Math.max(
    ...String(value)
      .split("\n", 20)
      .map(({ length }) => length),
  );
  return Math.min(longest, MAX_WIDTH);
}

function rowXml(number: number, cells: readonly SheetCell[]): string {
  const written = cells.map(({ value, style }, column) => {
    const place = `r="${columnName(column)}${number}" s="${styleNumber(style)}"`;
    if (typeof value === "number") return `<c ${place}><v>${value}</v></c>`;
    return value === ""
      ? `<c ${place}/>`
      : `<c ${place} t="inlineStr"><is><t xml:space="preserve">${xmlText(value)}</t></is></c>`;
  });
  return `<row r="${number}"${heightXml(cells)}>${written.join("")}</row>\n`;
}

/** Renders the height of a row, because not every program computes the height of wrapped text. */
function heightXml(cells: readonly SheetCell[]): string {
  const lines = cells.map(({ value, style }) =>
    style === "wrapped" && typeof value === "string" ? Math.ceil(value.length / (MAX_WIDTH - 5)) : 1,
  );
  const max = Math.max(...lines);
  return max > 1 ? ` ht="${13 * max}" customHeight="1"` : "";
}

/**
 * Escapes text for the XML of a workbook. Characters that XML cannot contain become escapes such as `_x0000_` (ECMA-376
 * part 1, 22.9.2.19). A lone surrogate becomes U+FFFD, because no such escape exists for it.
 */
export function xmlText(text: string): string {
  const plain = UNSAFE_CHARACTERS.test(text)
    ? text
        .replace(LIKE_ESCAPE, "_x005F_")
        .replace(NO_XML, escaped)
        .replace(/\p{Surrogate}/gu, "\uFFFD")
    : text;
  return plain.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

const UNSAFE_CHARACTERS = /_x|[^\t\n -\uD7FF]/;
const LIKE_ESCAPE = /_(?=x[0-9A-Fa-f]{4}_)/g;
/** Includes the carriage return, because XML parsers read it as a line feed. */
const NO_XML = /(?![\t\n])\p{Cc}|[\uFFFE\uFFFF]/gu;
const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(character: string): string {
  return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`;
}

/** Returns the name of a column, such as `AB`, for a zero-based index. */
export function columnName(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : columnName(Math.floor(index / 26) - 1) + last;
}
