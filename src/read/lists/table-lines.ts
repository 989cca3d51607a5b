import { Failure } from "../../model/failure.ts";
import { cellsOf } from "../csv/csv-rows.ts";
import { byteKinds, findRecordBoundaries } from "../csv/record-boundaries.ts";
import { detectDelimiter } from "../csv/csv-delimiter.ts";
import type { TextFile } from "../text/text-file.ts";

export interface TableLine {
  readonly cells: readonly string[];
  /** 1-based line number. */
  readonly line: number;
}

/**
 * The lines of a small CSV file, including its header, with trimmed cells. Blank lines are omitted.
 * @throws Failure `config`, with the hint, for an unclosed quote
 */
export function tableLines(file: TextFile, hint: string): readonly TableLine[] {
  return exactLines(file, hint)
    .map(({ cells, line }) => ({ cells: cells.map((cell) => cell.trim()), line }))
    .filter(({ cells }) => cells.length > 1 || cells[0] !== "");
}

/**
 * The lines of a small CSV file with unmodified cells. Empty lines are omitted.
 * @throws Failure `config`, with the hint, for an unclosed quote
 */
export function exactLines({ file, text }: TextFile, hint: string): readonly TableLine[] {
  const bytes = Buffer.from(text);
  const delimiter = detectDelimiter(
    text
      .split(/\r\n|\n|\r/, 40)
      .filter((line) => line.trim() !== "")
      .slice(0, 20),
  );
  const boundaries = findRecordBoundaries(bytes, byteKinds(delimiter), true);
  const unclosed = boundaries.brokenQuote ?? boundaries.openQuote;
  if (unclosed !== undefined) throw tableFailure(file, hint)(unclosed + 1, "a quote is opened here but never closed");
  return cellsOf(bytes, boundaries, delimiter)
    .map((cells, index) => ({ cells, line: 1 + (boundaries.lines[index] ?? 0) }))
    .filter(({ cells }) => cells.length > 1 || cells[0] !== "");
}

export function tableFailure(file: string, hint: string): (line: number, what: string) => Failure {
  return (line, what) => new Failure("config", `${file}:${line}: ${what}`, { hint, place: { file, line } });
}
