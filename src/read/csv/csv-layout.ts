import { parse } from "csv-parse/sync";
import { type Failure, failureAt } from "../../model/failure.ts";
import type { PackedFile } from "../text/file-bytes.ts";
import { textBytes, type TextSource } from "../text/text-bytes.ts";
import { counted } from "../../text/count.ts";
import { countLineEndings } from "../text/utf8.ts";
import { declaredDelimiter, delimiterName, detectDelimiter, refuseOneColumn } from "./csv-delimiter.ts";
import { csvHeader, type CsvHeader, headerNotices, type RenamedColumns } from "./csv-header.ts";
import { byteKinds, findRecordBoundaries } from "./record-boundaries.ts";

/** The layout of a CSV file. It is detected once, and used for every pass over the file. */
export interface CsvLayout {
  readonly header: CsvHeader;
  readonly delimiter: string;
  /** Offset of the header in the UTF-8 text of the file, after blank lines and the line `sep=;`. */
  readonly headerByte: number;
}

/** The user's settings for the file. */
interface CsvSettings {
  /** The declared delimiter; undefined if it must be detected. */
  readonly delimiter: string | undefined;
  readonly renamed: RenamedColumns;
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
  { delimiter, renamed }: CsvSettings,
  notify: (text: string) => void,
): Promise<CsvLayout> {
  const settings: CsvSettings = {
    delimiter: delimiter === undefined ? undefined : declaredDelimiter(delimiter),
    renamed,
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
  const lines = firstLines(text.slice(intro.length));
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
  return { header: headerOf(source, headerLine, cells, settings.renamed), delimiter, headerByte };
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

/** Returns the first non-blank lines of `text`; a line break in quotes does not end a line. */
function firstLines(text: string): readonly string[] {
  const lines: string[] = [];
  let start = 0;
  let quoted = false;
  for (let at = 0; at <= text.length && lines.length < SAMPLE_LINES; at += 1) {
    const character = text[at];
    if (character === '"') quoted = !quoted;
    const ends = character === undefined || (!quoted && (character === "\n" || character === "\r"));
    if (!ends) continue;
    const line = text.slice(start, at);
    if (line.trim() !== "") lines.push(line);
    start = at + 1;
  }
  return lines;
}

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
