import { isAscii } from "node:buffer";
import { ownCounts } from "../../model/added-columns.ts";
import type { Place } from "../../model/place.ts";
import type { LocalProblem } from "../../model/problem.ts";
import { addProblem } from "../../model/problem-limit.ts";
import type { CsvRow, CsvTable, RowPosition } from "../../model/record.ts";
import { type CsvHeader, refuseUnnamedData, repeatedHeader, repeatsHeader } from "./csv-header.ts";
import { type CsvBytes, csvRecords } from "./csv-records.ts";
import { boundariesAt, isUnterminated, type RecordBoundaries } from "./record-boundaries.ts";
import { type CsvLayout, parseRecords } from "./csv-layout.ts";
import { NO_PROBLEMS, type ReadRow, sourceProblem, withNext } from "../row/read-row.ts";
import { canBeginAnywhere, type TextSource } from "../text/text-bytes.ts";

export interface CsvOptions {
  /** Called for each piece of the file with the number of blank lines that were skipped in it. */
  readonly onBlankLines?: ((count: number) => void) | undefined;
  /** Where to start, after the header; default: at the first row. */
  readonly from?: RowPosition | undefined;
}

/**
 * Yields the rows of a CSV file after its header, with the line on which each row starts. Skips blank lines. The bytes
 * are split into complete records first, so that the result does not depend on chunk boundaries.
 * @throws Failure `source_unclosed_quote` at the line that opened the quote, `source_too_large` for a record beyond the
 * limit
 */
export async function* csvRows(
  source: TextSource,
  layout: CsvLayout,
  { onBlankLines, from }: CsvOptions = {},
): AsyncGenerator<readonly ReadRow[]> {
  const isSeekable = canBeginAnywhere(source);
  for await (const records of csvRecords(source, layout, from)) {
    const data = rowsOf(records, layout).slice(records.from);
    const rows = data.filter((row) => row !== undefined);
    onBlankLines?.(records.boundaries.blankLines + data.length - rows.length);
    if (data.length > 0) yield isSeekable ? withNext(rows, records.next) : rows;
  }
}

/** Returns the rows with these record numbers, which must be in ascending order; `undefined` for a blank line. */
export function rowsAt(
  piece: CsvBytes,
  layout: CsvLayout,
  numbers: readonly number[],
): readonly (ReadRow | undefined)[] {
  if (numbers.length === 0) return [];
  const isWhole = numbers.length === piece.boundaries.starts.length;
  return rowsOf(isWhole ? piece : { ...piece, boundaries: boundariesAt(piece.boundaries, numbers) }, layout);
}

/** Returns one entry per record: `undefined` for a blank line. */
function rowsOf({ bytes, boundaries, line: firstLine }: CsvBytes, layout: CsvLayout): readonly (ReadRow | undefined)[] {
  if (bytes.length === 0) return [];
  return cellsOf(bytes, boundaries, layout.delimiter).map((cells, index) => {
    if ((cells.length === 1 || layout.skipsEmptyRows === true) && isEmptyRow(cells)) return undefined;
    const line = firstLine + (boundaries.lines[index] ?? 0);
    const row: CsvRow = { table: layout.header.table, cells: wholeRow(cells, layout.header), line };
    refuseUnnamedData(layout.header, row);
    return { row, problems: problemsOf(row, layout.header, { boundaries, index }) };
  });
}

/** Whether no cell of a row contains text, as in a row that a spreadsheet program saves as `,,,`. */
export function isEmptyRow(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === "");
}

/**
 * Adds missing cells at the end of a row if none of their columns has a name. Programs that omit a name often also omit
 * the cells.
 */
function wholeRow(cells: readonly string[], { table, unnamed }: CsvHeader): readonly string[] {
  const missing = table.columns.length - cells.length;
  if (missing <= 0 || unnamed.at(-missing) !== cells.length) return cells;
  return [...cells, ...Array.from({ length: missing }, () => "")];
}

/**
 * Splits records at delimiters and quotes. This is several times faster than csv-parse, which receives only the records
 * with misplaced quotes. Each record is decoded separately, so that a retained cell does not keep other records in
 * memory.
 */
export function cellsOf(
  bytes: Buffer,
  boundaries: RecordBoundaries,
  delimiter: string,
): readonly (readonly string[])[] {
  const encoding = isAscii(bytes) ? "latin1" : "utf8";
  const { starts, ends, quoted } = boundaries;
  const odd: number[] = [];
  let nextQuoted = 0;
  const cells = starts.map((start, index): readonly string[] => {
    const record = bytes.toString(encoding, start, ends[index]);
    if (quoted[nextQuoted] !== index) return record.split(delimiter);
    nextQuoted += 1;
    const found = quotedCells(record, delimiter);
    if (found === undefined) odd.push(index);
    return found ?? [];
  });
  const records = oddRecords(bytes, boundaries, { odd, delimiter });
  for (const [position, index] of odd.entries()) cells[index] = records[position] ?? [];
  return cells;
}

/** Parses the records with misplaced quotes in one call to csv-parse. Returns their cells in the order of `odd`. */
function oddRecords(
  bytes: Buffer,
  { starts, ends }: RecordBoundaries,
  { odd, delimiter }: { readonly odd: readonly number[]; readonly delimiter: string },
): readonly string[][] {
  if (odd.length === 0) return [];
  // One byte of the line ending is enough, because CR alone also ends a record.
  const pieces = odd.map((index) => bytes.subarray(starts[index], (ends[index] ?? 0) + 1));
  const records = parseRecords(Buffer.concat(pieces), delimiter);
  if (records.length === odd.length) return records;
  throw new Error(`csv-parse found ${records.length} records with misplaced quotes instead of ${odd.length}`);
}

function problemsOf(
  row: CsvRow,
  header: CsvHeader,
  { boundaries, index }: { readonly boundaries: RecordBoundaries; readonly index: number },
): readonly LocalProblem[] {
  const expected = row.table.columns.length;
  const found = row.cells.length;
  const stray = boundaries.strayQuotes.has(index);
  const control = boundaries.controls.has(index);
  const isHeader = repeatsHeader(header, row);
  if (found === expected && !stray && !control && !isHeader) return NO_PROBLEMS;
  const place: Place = { file: row.table.file, line: row.line };
  const problems: LocalProblem[] = [];
  if (found !== expected) {
    const cutOff = found < expected && isUnterminated(boundaries, index);
    const code = cutOff ? "source_truncated_row" : "source_ragged_row";
    problems.push(sourceProblem(place, { code, ...ownCounts(found, row.table.columns) }));
  }
  if (isHeader) problems.push(repeatedHeader(row, header));
  if (stray) problems.push(sourceProblem(place, { code: "source_stray_quote" }));
  return control ? [...problems, ...controlCharacters(row)] : problems;
}

/** The platform rejects NUL, and may also reject other control characters. Tabs and line breaks are ordinary text. */
const CONTROLS = /(?![\t\n\r])\p{Cc}/u;

/** Returns a problem for each cell with a control character. */
export function controlCharacters(row: CsvRow): readonly LocalProblem[] {
  const problems: LocalProblem[] = [];
  for (const [index, cell] of row.cells.entries()) {
    const code = cell.match(CONTROLS)?.[0].charCodeAt(0);
    if (code === undefined) continue;
    const finding = { code: "source_control_character", character: unicodeName(code) } as const;
    const severity = cell.includes("\0") ? "error" : "warning";
    addProblem(problems, sourceProblem(cellPlace(row.table, row.line, index), finding, severity));
  }
  return problems;
}

/** Returns the place of a cell, by its zero-based position. */
export function cellPlace(table: CsvTable, line: number, index: number): Place {
  const column = table.columns[index];
  return { file: table.file, line, ...(column === undefined ? {} : { column }), columnNumber: index + 1 };
}

/** Returns the name of a code point, such as `U+00A0`. */
export function unicodeName(code: number): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

const QUOTE = '"';

/**
 * Returns the cells of a record that contains quotes; undefined if a quote neither encloses a cell nor is doubled
 * inside a quoted cell.
 * @param record the record without its line ending
 */
export function quotedCells(record: string, delimiter: string): readonly string[] | undefined {
  const cells: string[] = [];
  for (let at = 0; ;) {
    const isQuoted = record[at] === QUOTE;
    const end = isQuoted ? closingQuote(record, at + 1) + 1 : endOfBareCell(record, at, delimiter);
    if (end === 0) return undefined;
    const cell = isQuoted ? withoutQuotes(record, at, end) : record.slice(at, end);
    if (!isQuoted && cell.includes(QUOTE)) return undefined;
    cells.push(cell);
    if (end === record.length) return cells;
    if (record[end] !== delimiter) return undefined;
    at = end + 1;
  }
}

/** Returns the position of the quote that closes a cell; -1 if there is none. */
function closingQuote(record: string, from: number): number {
  let at = record.indexOf(QUOTE, from);
  while (at >= 0 && record[at + 1] === QUOTE) at = record.indexOf(QUOTE, at + 2);
  return at;
}

function endOfBareCell(record: string, from: number, delimiter: string): number {
  const end = record.indexOf(delimiter, from);
  return end < 0 ? record.length : end;
}

function withoutQuotes(record: string, start: number, end: number): string {
  const cell = record.slice(start + 1, end - 1);
  return cell.includes(QUOTE) ? cell.replaceAll('""', QUOTE) : cell;
}
