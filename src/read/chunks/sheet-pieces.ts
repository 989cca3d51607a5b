import { isCsvRow } from "../../model/record.ts";
import { WHOLE_RECORDS } from "../csv/record-boundaries.ts";
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
  const [lines, starts, ends, quoted]: [number[], number[], number[], number[]] = [[], [], [], []];
  const keptRows = new Map<number, KeptRow>();
  let end = 0;
  for (const [number, { row, problems }] of rows.entries()) {
    const cells = isCsvRow(row) ? row.cells : [];
    const record = cells.map(csvCell).join(SHEET_DELIMITER);
    records.push(record);
    lines.push(row.line - line);
    starts.push(end);
    end += Buffer.byteLength(record);
    ends.push(end);
    end += 1;
    if (record.includes('"')) quoted.push(number);
    if (problems !== NO_PROBLEMS || !record.isWellFormed()) keptRows.set(number, { cells, problems });
  }
  const bytes = Buffer.from(`${records.join("\n")}\n`);
  const controls = new Set(keptRows.keys());
  const boundaries = { ...EVERY_RECORD, starts, ends, end, lines, quoted, controls };
  return { bytes: [bytes], line, keptRows, boundaries };
}

function csvCell(text: string): string {
  return SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const SPECIAL = /[",\r\n]/;

/** The rows of a sheet are complete, and their cells are quoted correctly. */
const EVERY_RECORD = { ...WHOLE_RECORDS, strayQuotes: new Set<number>(), unterminated: false } as const;
