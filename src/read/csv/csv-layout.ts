import { parse } from "csv-parse/sync";
import { Failure } from "../../model/failure.ts";
import { formatPlace, type Place } from "../../model/place.ts";
import type { CsvTable } from "../../model/record.ts";
import type { PackedFile } from "../text/file-bytes.ts";
import type { TextSource } from "../text/text-bytes.ts";
import { textBytes } from "../text/text-bytes.ts";
import { countLineEnds } from "../text/utf8.ts";
import { declaredDelimiter, delimiterName, detectDelimiter, refuseOneColumn } from "./csv-delimiter.ts";
import { byteKinds, findRecordBoundaries } from "./record-boundaries.ts";

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
 * Raises `source_no_header` for a file whose lines are all blank, `source_bad_header`, `source_unclosed_quote`,
 * `source_too_large` for a header that does not end, and what reading the text may raise.
 */
export async function csvLayout(
  source: TextSource,
  declared: string | undefined,
  notify: (text: string) => void,
): Promise<CsvLayout> {
  const wanted = declared === undefined ? undefined : declaredDelimiter(declared);
  let head: Buffer = Buffer.alloc(0);
  for await (const chunk of textBytes(source)) {
    head = Buffer.concat([head, chunk]);
    const layout = layoutOf(source, { bytes: head, final: false }, wanted);
    if (layout !== undefined) return announce(layout, wanted, notify);
    if (head.length > source.limits.csvRecordBytes) {
      const what = `the header is longer than ${source.limits.csvRecordBytes} bytes`;
      throw headerFailure("source_too_large", { file: source.file, line: 1 }, what, ENDLESS_HEADER_HINT);
    }
  }
  const layout = layoutOf(source, { bytes: head, final: true }, wanted);
  if (layout === undefined) {
    throw headerFailure("source_no_header", { file: source.file, line: 1 }, "no header", NO_HEADER_HINT);
  }
  return announce(layout, wanted, notify);
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
  const boundaries = findRecordBoundaries(rest, byteKinds(delimiter), head.final);
  if (boundaries.lines.length === 0) {
    const unclosed = boundaries.brokenQuote ?? (head.final ? boundaries.openQuote : undefined);
    if (unclosed !== undefined) throw unclosedQuote(source, headerLine + unclosed);
    return undefined;
  }
  if (boundaries.strayQuotes.has(0)) {
    throw headerFailure(
      "source_bad_header",
      { file: source.file, line: headerLine },
      "a stray quote in the header",
      STRAY_QUOTE_HINT,
    );
  }
  refuseOneColumn(source.file, lines[0] ?? "", delimiter);
  return { table: tableOf(source, headerLine, parseRecords(rest, delimiter, 1)[0]), delimiter, headerByte, headerLine };
}

function tableOf(source: TextSource, line: number, columns: readonly string[] = []): CsvTable {
  const place = { file: source.file, line };
  if (columns.length > source.limits.csvColumns) {
    const what = `the header has more than ${source.limits.csvColumns} columns`;
    throw headerFailure("source_too_large", place, what, MANY_COLUMNS_HINT);
  }
  return csvTable(place, columns);
}

const ENDLESS_HEADER_HINT = "check that this is a CSV file, and that each quote in its first line is closed";
const MANY_COLUMNS_HINT = "check the delimiter, and that each record stands on a line of its own";
const NO_HEADER_HINT = "begin the file with a line that names its columns";
const STRAY_QUOTE_HINT = 'write a name that holds quotes in quotes, its own quotes doubled: "the ""old"" name"';

function headerFailure(
  code: "source_no_header" | "source_bad_header" | "source_too_large",
  place: Place,
  what: string,
  hint: string,
): Failure {
  return new Failure(code, `${formatPlace(place)}: ${what}`, { hint, place });
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

function announce(layout: CsvLayout, wanted: string | undefined, notify: (text: string) => void): CsvLayout {
  const { delimiter, table } = layout;
  if (wanted === undefined && delimiter !== "," && !(delimiter === "\t" && /\.(tsv|tab)(\.gz)?$/i.test(table.file))) {
    notify(`the delimiter is ${delimiterName(delimiter)}: ${table.columns.length} columns`);
  }
  const padded = table.columns.findIndex((name) => name !== name.trim());
  if (padded >= 0) notify(`the name of column ${padded + 1} begins or ends with a space, which belongs to the name`);
  return layout;
}

/**
 * The table that a header line describes. Names stay as they are in the file.
 * Raises `source_bad_header`, naming the columns by number, when a name is missing, there twice, the same as another
 * but for case, spaces or Unicode form, or one that is dangerous as a property name.
 */
function csvTable(place: Place, columns: readonly string[]): CsvTable {
  const bad: Bad = (what, hint) => headerFailure("source_bad_header", place, what, hint);
  refuseBlank(columns, bad);
  refuseUnsafe(columns, bad);
  refuseAlike(columns, bad);
  return { kind: "csv", file: place.file, columns, columnIndex: new Map(columns.map((name, index) => [name, index])) };
}

type Bad = (what: string, hint: string) => Failure;

function refuseBlank(columns: readonly string[], bad: Bad): void {
  const blank = columns.flatMap((name, index) => (name.trim() === "" ? [index + 1] : []));
  if (blank.length === 0) return;
  const trailing = blank.length === 1 && blank[0] === columns.length;
  throw bad(
    `${listColumns(blank)} of ${columns.length} ${blank.length === 1 ? "has" : "have"} no name in the header`,
    trailing ? "remove the delimiter at the end of the lines, or name the column" : "name every column",
  );
}

function refuseUnsafe(columns: readonly string[], bad: Bad): void {
  columns.forEach((name, index) => {
    if (name.split(".").some(isForbidden)) {
      throw bad(`column ${index + 1} has the forbidden name "${name}"`, "give the column another name");
    }
    if (UNPRINTABLE.test(name)) {
      throw bad(`the name of column ${index + 1} holds an invisible character`, "type the name anew");
    }
  });
}

/** Property names of every JavaScript object: a column of this name could change how a program behaves. */
function isForbidden(part: string): boolean {
  return part === "prototype" || part in Object.prototype;
}

/** Control and format characters, among them zero-width spaces, byte order marks and direction marks. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}]/u;

function refuseAlike(columns: readonly string[], bad: Bad): void {
  const seen = new Map<string, number>();
  columns.forEach((name, index) => {
    const alike = name.normalize("NFC").trim().replace(/\s+/gu, " ").toLowerCase();
    const other = seen.get(alike);
    if (other !== undefined) {
      const same = columns[other] === name;
      throw bad(
        same
          ? `columns ${other + 1} and ${index + 1} have the same name, "${name}"`
          : `the names of columns ${other + 1} and ${index + 1} ("${columns[other] ?? ""}", "${name}") are too much alike`,
        same
          ? "name every column once"
          : "give them names that differ by more than case, spaces or the form of accents",
      );
    }
    seen.set(alike, index);
  });
}

function listColumns(numbers: readonly number[]): string {
  if (numbers.length === 1) return `column ${numbers[0] ?? 0}`;
  return `columns ${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1) ?? 0}`;
}

/** The failure for a quote that was opened on `line` (1-based) and never closed. */
export function unclosedQuote(source: PackedFile, line: number): Failure {
  return new Failure("source_unclosed_quote", `${source.file}:${line}: a quote is opened here and not closed`, {
    hint: 'close it, or double it ("") if it belongs to the value; if the file ends early, it may have been cut off',
    place: { file: source.file, line },
  });
}
