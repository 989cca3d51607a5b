import { parse } from "csv-parse/sync";
import { Failure } from "../model/failure.ts";
import type { CsvTable } from "../model/row.ts";
import { byteKinds, cutRecords } from "./csv-cut.ts";
import { declaredDelimiter, delimiterName, detectDelimiter, refuseOneColumn } from "./csv-delimiter.ts";
import { csvTable } from "./csv-header.ts";
import { unclosedQuote } from "./csv-quotes.ts";
import { countLineEnds } from "./line-ends.ts";
import { textBytes } from "./text-bytes.ts";
import type { TextSource } from "./text-bytes.ts";

/** How a CSV file is laid out: found once, used for every pass over the file. */
export interface CsvLayout {
  readonly table: CsvTable;
  readonly delimiter: string;
  /** Where the header begins in the file's text as UTF-8: behind blank lines and `sep=;`. */
  readonly headerByte: number;
  /** 1-based. */
  readonly headerLine: number;
}

/** csv-parse as it is used here: cells untouched, any line end, no opinion about the length of a row. */
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
 * Reads the beginning of a CSV file.
 * Raises `source_no_header` for a file without a line that says anything, `source_bad_header`, `source_unclosed_quote`,
 * `source_too_large` for a header that does not end, and what reading the text may raise.
 */
export async function csvLayout(
  source: TextSource,
  declared: string | undefined,
  say: (text: string) => void,
): Promise<CsvLayout> {
  const wanted = declared === undefined ? undefined : declaredDelimiter(declared);
  let head: Buffer = Buffer.alloc(0);
  for await (const chunk of textBytes(source)) {
    head = Buffer.concat([head, chunk]);
    const layout = layoutOf(source, { bytes: head, final: false }, wanted);
    if (layout !== undefined) return announce(layout, wanted, say);
    if (head.length > source.limits.csvRecordBytes) throw endlessHeader(source);
  }
  const layout = layoutOf(source, { bytes: head, final: true }, wanted);
  if (layout === undefined) {
    throw new Failure("source_no_header", `${source.file}: no header`, {
      hint: "begin the file with a line that names its columns",
      place: { file: source.file, line: 1 },
    });
  }
  return announce(layout, wanted, say);
}

interface Head {
  readonly bytes: Buffer;
  /** True when this is the whole file. */
  readonly final: boolean;
}

/** The layout, or `undefined` while the header has not ended. */
function layoutOf(source: TextSource, head: Head, wanted: string | undefined): CsvLayout | undefined {
  const text = head.bytes.toString();
  const [intro = "", excelDelimiter] = INTRODUCTION.exec(text) ?? [];
  const headerByte = Buffer.byteLength(intro);
  const headerLine = 1 + countLineEnds(Buffer.from(intro));
  const lines = firstLines(text.slice(intro.length));
  const delimiter = wanted ?? excelDelimiter ?? detectDelimiter(lines);
  const rest = head.bytes.subarray(headerByte);
  const cut = cutRecords(rest, byteKinds(delimiter), head.final);
  if (cut.lines.length === 0) {
    const unclosed = cut.brokenQuote ?? (head.final ? cut.openQuote : undefined);
    if (unclosed !== undefined) throw unclosedQuote(source, headerLine + unclosed);
    return undefined;
  }
  if (cut.strayQuotes.has(0)) throw strayQuote(source.file, headerLine);
  refuseOneColumn(source.file, lines[0] ?? "", delimiter);
  return { table: tableOf(source, headerLine, parseRecords(rest, delimiter, 1)[0]), delimiter, headerByte, headerLine };
}

function tableOf(source: TextSource, line: number, columns: readonly string[] = []): CsvTable {
  if (columns.length > source.limits.csvColumns) throw tooManyColumns(source, line);
  return csvTable(source.file, line, columns);
}

function strayQuote(file: string, line: number): Failure {
  return new Failure("source_bad_header", `${file}:${line}: a stray quote in the header`, {
    hint: 'write a name that holds quotes in quotes, its own quotes doubled: "the ""old"" name"',
    place: { file, line },
  });
}

/** Blank lines, and the line `sep=;` that Excel writes and reads. */
const INTRODUCTION = /^(?:[ \t]*(?:\r\n|\n|\r))*(?:sep=([,;|\t])(?:\r\n|\n|\r))?(?:[ \t]*(?:\r\n|\n|\r))*(?:[ \t]+$)?/;

const SAMPLE_LINES = 20;

/** The first lines of `text`, without blank ones; a line end in quotes does not end a line. */
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

function announce(layout: CsvLayout, wanted: string | undefined, say: (text: string) => void): CsvLayout {
  const { delimiter, table } = layout;
  if (wanted === undefined && delimiter !== "," && !(delimiter === "\t" && /\.(tsv|tab)(\.gz)?$/i.test(table.file))) {
    say(`the delimiter is ${delimiterName(delimiter)}: ${table.columns.length} columns`);
  }
  const padded = table.columns.findIndex((name) => name !== name.trim());
  if (padded >= 0) say(`the name of column ${padded + 1} begins or ends with a space, which belongs to the name`);
  return layout;
}

function tooManyColumns({ file, limits }: TextSource, line: number): Failure {
  return new Failure("source_too_large", `${file}:${line}: the header has more than ${limits.csvColumns} columns`, {
    hint: "check the delimiter, and that each record stands on a line of its own",
    place: { file, line },
  });
}

function endlessHeader(source: TextSource): Failure {
  return new Failure(
    "source_too_large",
    `${source.file}: the header is longer than ${source.limits.csvRecordBytes} bytes`,
    {
      hint: "check that this is a CSV file, and that each quote in its first line is closed",
      place: { file: source.file, line: 1 },
    },
  );
}
