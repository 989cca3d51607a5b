import { type Failure, failureAt } from "../../model/failure.ts";
import { cellsOf } from "../csv/csv-rows.ts";
import { byteKinds, findRecordBoundaries } from "../csv/record-boundaries.ts";
import { detectDelimiter } from "../csv/csv-delimiter.ts";
import type { TextFile } from "../text/text-file.ts";

export interface TableLine {
  readonly cells: readonly string[];
  /** 1-based line number. */
  readonly line: number;
  /** Describes a stray quotation mark, which makes the cells ambiguous. */
  readonly strayQuote: string | undefined;
}

/**
 * Returns the lines of a small CSV file, including its header, with unmodified cells. Omits blank lines.
 * @throws Failure `config`, with the hint, for an unclosed or stray quote
 */
export function tableLines({ file, text }: TextFile, hint: string): readonly TableLine[] {
  const bytes = Buffer.from(text);
  const { lines } = linesOf(bytes, { file, hint, delimiter: delimiterOf(text), line: 1, isFinal: true });
  for (const { line, strayQuote } of lines)
    if (strayQuote !== undefined) throw tableFailure(file, hint)(line, strayQuote);
  return lines.filter(({ cells }) => cells.length > 1 || cells[0]?.trim() !== "");
}

/** Detects the delimiter from the first lines. */
function delimiterOf(text: string): string {
  return detectDelimiter(
    text
      .split(/\r\n|\n|\r/, 40)
      .filter((line) => line.trim() !== "")
      .slice(0, 20),
  );
}

const STRAY_QUOTE = "there is a quotation mark inside an unquoted cell, or text after a closing quotation mark";

export interface LinePiece {
  readonly file: string;
  readonly hint: string;
  readonly delimiter: string;
  /** 1-based line on which the piece starts. */
  readonly line: number;
  /** Whether no more bytes follow. */
  readonly isFinal: boolean;
}

export interface PieceLines {
  readonly lines: readonly TableLine[];
  /** The offset at which the complete lines end. */
  readonly end: number;
  /** 1-based line on which the bytes after `end` start. */
  readonly nextLine: number;
}

/**
 * Returns the complete lines at the start of a piece of CSV, with unmodified cells. Omits empty lines.
 * @throws Failure `config`, with the hint, for an unclosed quote
 */
export function linesOf(bytes: Buffer, { file, hint, delimiter, line, isFinal }: LinePiece): PieceLines {
  const boundaries = findRecordBoundaries(bytes, byteKinds(delimiter), isFinal);
  const unclosed = boundaries.brokenQuote ?? (isFinal ? boundaries.openQuote : undefined);
  if (unclosed !== undefined)
    throw tableFailure(file, hint)(unclosed + line, "a quote is opened here but never closed");
  const lines = cellsOf(bytes, boundaries, delimiter)
    .map((cells, index) => ({
      cells,
      line: line + (boundaries.lines[index] ?? 0),
      strayQuote: boundaries.strayQuotes.has(index) ? STRAY_QUOTE : undefined,
    }))
    .filter(({ cells }) => cells.length > 1 || cells[0] !== "");
  return { lines, end: boundaries.end, nextLine: line + boundaries.nextLine };
}

export function tableFailure(file: string, hint: string): (line: number, what: string) => Failure {
  return (line, what) => failureAt("config", { file, line }, what, { hint });
}
