import { parse } from "csv-parse/sync";
import { type Failure, failureAt } from "../../model/failure.ts";
import type { PackedFile } from "../text/file-bytes.ts";
import { textBytes, type TextSource } from "../text/text-bytes.ts";
import { counted } from "../../text/count.ts";
import { countLineEndings } from "../text/utf8.ts";
import {
  COMMON_DELIMITERS,
  declaredDelimiter,
  delimiterName,
  detectDelimiter,
  refuseOneColumn,
  roughCells,
} from "./csv-delimiter.ts";
import { csvHeader, type CsvHeader, headerNotices, type RenamedColumns } from "./csv-header.ts";
import { headerBelow } from "./doubtful-header.ts";
import { byteKinds, findRecordBoundaries } from "./record-boundaries.ts";

/** The layout of a CSV file. It is detected once, and used for every pass over the file. */
export interface CsvLayout {
  readonly header: CsvHeader;
  readonly delimiter: string;
  /** Offset of the header in the UTF-8 text of the file, after blank lines and the line `sep=;`. */
  readonly headerByte: number;
  /** Whether rows without any text are skipped, like blank lines. If so, the file must be read row by row. */
  readonly skipsEmptyRows?: boolean | undefined;
  /** A suggestion for another delimiter. */
  readonly hint?: string | undefined;
}

/** The user's settings for the file. */
interface CsvSettings {
  /** The declared delimiter; undefined if it must be detected. */
  readonly delimiter: string | undefined;
  readonly renamed: RenamedColumns;
  readonly skipsEmptyRows?: boolean | undefined;
}

/**
 * Parses with csv-parse, which keeps cells unchanged and accepts any line ending and rows of any length.
 * @param count maximum number of records; default: all
 */
export function parseRecords(bytes: Buffer, delimiter: string, count?: number): string[][] {
  return parse(bytes, {
    delimiter,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_quotes: true,
    relax_column_count: true,
    ...(count === undefined ? {} : { to: count }),
  });
}

/**
 * Reads the start of a CSV file.
 * @throws Failure `source_no_header` if all lines are blank, `source_bad_header`, `source_unclosed_quote`,
 * `source_too_large` for a header beyond the limits, `usage` for an invalid delimiter, and read failures
 */
export async function csvLayout(
  source: TextSource,
  { delimiter, ...others }: CsvSettings,
  notify: (text: string) => void,
): Promise<CsvLayout> {
  const settings: CsvSettings = {
    ...others,
    delimiter: delimiter === undefined ? undefined : declaredDelimiter(delimiter),
  };
  let head: Buffer = Buffer.alloc(0);
  for await (const chunk of textBytes(source)) {
    head = Buffer.concat([head, chunk]);
    const layout = layoutOf(source, head, false, settings);
    if (layout !== undefined) return announce(layout, settings, notify);
    if (head.length > source.limits.csvRecordBytes) {
      const what = `the header is longer than ${source.limits.csvRecordBytes} bytes`;
      throw failureAt("source_too_large", { file: source.file, line: 1 }, what, { hint: ENDLESS_HEADER_HINT });
    }
  }
  const layout = layoutOf(source, head, true, settings);
  if (layout === undefined) {
    throw failureAt("source_no_header", { file: source.file, line: 1 }, "no header", { hint: NO_HEADER_HINT });
  }
  return announce(layout, settings, notify);
}

/**
 * Returns the layout; undefined if `bytes` do not contain the complete header. `final`: the bytes are the complete
 * file.
 */
function layoutOf(source: TextSource, bytes: Buffer, final: boolean, settings: CsvSettings): CsvLayout | undefined {
  const text = bytes.toString();
  const [intro = "", excelDelimiter] = INTRODUCTION.exec(text) ?? [];
  const headerByte = Buffer.byteLength(intro);
  const headerLine = 1 + countLineEndings(Buffer.from(intro));
  const top = firstLines(text.slice(intro.length), headerLine);
  const lines = top.map((line) => line.text);
  const delimiter = settings.delimiter ?? excelDelimiter ?? detectDelimiter(lines);
  const rest = bytes.subarray(headerByte);
  const boundaries = findRecordBoundaries(rest, byteKinds(delimiter), final);
  if (boundaries.lines.length === 0) {
    const unclosed = boundaries.brokenQuote ?? (final ? boundaries.openQuote : undefined);
    if (unclosed !== undefined) throw unclosedQuote(source, headerLine + unclosed);
    return undefined;
  }
  if (boundaries.strayQuotes.has(0)) {
    throw failureAt("source_bad_header", { file: source.file, line: headerLine }, "a stray quote in the header", {
      hint: STRAY_QUOTE_HINT,
    });
  }
  refuseOneColumn(source.file, lines[0] ?? "", delimiter);
  const cells = parseRecords(rest, delimiter, 1)[0] ?? [];
  const header = headerOf(source, headerLine, cells, settings.renamed);
  const below = headerBelowTitle(top, delimiter, settings);
  const { skipsEmptyRows } = settings;
  return { header: { ...header, below }, delimiter, headerByte, skipsEmptyRows, hint: delimiterHint(header, lines) };
}

function headerOf(source: TextSource, line: number, columns: readonly string[], renamed: RenamedColumns): CsvHeader {
  const place = { file: source.file, line };
  if (columns.length > source.limits.csvColumns) {
    const what = `the header has more than ${source.limits.csvColumns} columns`;
    throw failureAt("source_too_large", place, what, { hint: MANY_COLUMNS_HINT });
  }
  return csvHeader(place, columns, renamed, source.modifiedMs);
}

const ENDLESS_HEADER_HINT = "check that this is a CSV file, and that each quote in its first line is closed";
const MANY_COLUMNS_HINT = "check the delimiter, and check that each record is on its own line";
const NO_HEADER_HINT = "begin the file with a line that names its columns";
const STRAY_QUOTE_HINT =
  'enclose a name that contains quotes in quotes, and double the quotes inside it: "the ""old"" name"';

/** Blank lines, and the line `sep=;` that Excel writes and reads. */
const INTRODUCTION = /^(?:[ \t]*(?:\r\n|\n|\r))*(?:sep=([,;|\t])(?:\r\n|\n|\r))?(?:[ \t]*(?:\r\n|\n|\r))*(?:[ \t]+$)?/;

const SAMPLE_LINES = 20;

interface TopLine {
  readonly text: string;
  /** 1-based line of the file. */
  readonly line: number;
}

/**
 * Returns the first non-blank lines of `text`; a line break in quotes does not end a line.
 * @param first 1-based line on which the text starts
 */
function firstLines(text: string, first: number): readonly TopLine[] {
  const lines: TopLine[] = [];
  let start = 0;
  let quoted = false;
  let line = first;
  for (let at = 0; at <= text.length && lines.length < SAMPLE_LINES; at += 1) {
    const character = text[at];
    if (character === '"') quoted = !quoted;
    const isBreak = character === "\n" || character === "\r";
    if (character !== undefined && (quoted || !isBreak)) continue;
    const found = text.slice(start, at);
    if (found.trim() !== "") lines.push({ text: found, line });
    line += countLineEndings(Buffer.from(found)) + (character === "\r" && text[at + 1] === "\n" ? 0 : 1);
    start = at + 1;
  }
  return lines;
}

/**
 * Returns the line of the probable header if the first line is probably a title. A title need not contain the delimiter
 * of the file, so all delimiters are tried unless the lines have the same number of cells, as in a file without a
 * title.
 */
function headerBelowTitle(
  top: readonly TopLine[],
  delimiter: string,
  { delimiter: declared, renamed }: CsvSettings,
): number | undefined {
  if (renamed.size > 0) return undefined;
  const [first, ...others] = top.map(({ text }) => roughCells(text, delimiter));
  const title = first?.filter((cell) => cell.trim() !== "").length ?? 0;
  const isTable = first !== undefined && first.length > 1 && haveSameLength([first, ...others]);
  const delimiters = declared === undefined && title <= MAX_TITLE_CELLS && !isTable ? COMMON_DELIMITERS : [delimiter];
  for (const candidate of delimiters) {
    const rows = top.map(({ text, line }) => ({ line, cells: roughCells(text, candidate) }));
    const line = headerBelow(rows, title);
    const below = rows.filter((row) => line !== undefined && row.line >= line);
    if (line !== undefined && haveSameLength(below.map(({ cells }) => cells))) return line;
  }
  return undefined;
}

/** Whether all rows have the same number of cells. Ignores the last row, which may be incomplete. */
function haveSameLength(rows: readonly (readonly string[])[]): boolean {
  return new Set(rows.slice(0, -1).map((cells) => cells.length)).size === 1;
}

/** A title with more cells contains the delimiter of the file. */
const MAX_TITLE_CELLS = 2;

/**
 * Suggests a delimiter for a file with a single column, if an unusual delimiter occurs equally often in each of its
 * first lines.
 */
function delimiterHint({ table }: CsvHeader, [header = "", ...rows]: readonly string[]): string | undefined {
  if (table.columns.length > 1 || rows.length === 0) return undefined;
  const found = UNUSUAL_DELIMITERS.find((delimiter) => {
    const count = header.split(delimiter).length;
    return count > 1 && rows.every((row) => row.split(delimiter).length === count);
  });
  return (
    found &&
    `has only one column; if "${found}" separates its columns, use --delimiter "${found}", which applies to all CSV files`
  );
}

const UNUSUAL_DELIMITERS = ["~", "^", ":", "#", "*"];

function announce(layout: CsvLayout, settings: CsvSettings, notify: (text: string) => void): CsvLayout {
  const { delimiter, header } = layout;
  const { table } = header;
  if (
    settings.delimiter === undefined &&
    delimiter !== "," &&
    !(delimiter === "\t" && /\.(tsv|tab)(\.gz)?$/i.test(table.file))
  ) {
    notify(`the delimiter is ${delimiterName(delimiter)}: ${counted(table.columns.length, "column")}`);
  }
  if (layout.hint !== undefined) notify(layout.hint);
  for (const text of headerNotices(header)) notify(text);
  const padded = table.columns.findIndex((name) => name.trim() !== "" && name !== name.trim());
  if (padded >= 0) notify(`the name of column ${padded + 1} begins or ends with a space, which is part of the name`);
  return layout;
}

/**
 * Returns the failure for a quote that was opened on `line` (1-based) and never closed.
 * @param withinBytes the limit of a record, if the file was not read to its end
 */
export function unclosedQuote(source: PackedFile, line: number, withinBytes?: number): Failure {
  const end = withinBytes === undefined ? "never closed" : `not closed within ${withinBytes} bytes`;
  return failureAt("source_unclosed_quote", { file: source.file, line }, `a quote is opened here but ${end}`, {
    hint: 'close it, or double it ("") if it is part of the value; the file may also be truncated',
  });
}
