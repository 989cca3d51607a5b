import { isCsvRow } from "../../model/record.ts";
import type { RecordBoundaries } from "../csv/record-boundaries.ts";
import { NO_PROBLEMS, type ReadRow } from "../row/read-row.ts";
import type { OpenedSheet } from "../workbook/open-workbook.ts";
import type { Piece } from "./chunk-builder.ts";
import type { KeptRow } from "./record-chunk.ts";

/** The delimiter of the records into which rows of a sheet are converted. */
export const SHEET_DELIMITER = ",";

/** Yields the rows below a sheet's header as CSV records, in the groups in which they are read. */
export async function* sheetPieces(sheet: OpenedSheet): AsyncGenerator<Piece> {
  for await (const rows of sheet.rows()) if (rows.length > 0) yield pieceOf(rows);
}

function pieceOf(rows: readonly ReadRow[]): Piece {
  const line = rows[0]?.row.line ?? 1;
  const records: string[] = [];
  const lines: number[] = [];
  const quoted: number[] = [];
  const keptRows = new Map<number, KeptRow>();
  for (const [number, { row, problems }] of rows.entries()) {
    const cells = isCsvRow(row) ? row.cells : [];
    const written = cells.map(csvCell);
    const record = written.join(SHEET_DELIMITER);
    records.push(record);
    lines.push(row.line - line);
    if (record.includes('"')) quoted.push(number);
    if (problems !== NO_PROBLEMS || !record.isWellFormed()) keptRows.set(number, { cells, problems });
  }
  const bytes = Buffer.from(`${records.join("\n")}\n`);
  const places = placesOf(records, bytes.length);
  const controls = new Set(keptRows.keys());
  return { bytes: [bytes], line, keptRows, boundaries: { ...EVERY_RECORD, ...places, lines, quoted, controls } };
}

function csvCell(text: string): string {
  return SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const SPECIAL = /[",\r\n]/;

function placesOf(records: readonly string[], size: number): Pick<RecordBoundaries, "starts" | "ends" | "end"> {
  const starts: number[] = [];
  const ends: number[] = [];
  let start = 0;
  for (const record of records) {
    const end = start + Buffer.byteLength(record);
    starts.push(start);
    ends.push(end);
    start = end + 1;
  }
  return { starts, ends, end: size };
}

/** The rows of a sheet are complete, and their cells are quoted correctly. */
const EVERY_RECORD = {
  nextLine: 0,
  blankLines: 0,
  strayQuotes: new Set<number>(),
  openQuote: undefined,
  brokenQuote: undefined,
  unterminated: false,
} as const;
