import { open } from "node:fs/promises";
import { basename } from "node:path";
import { Failure } from "../../model/failure.ts";
import type { CsvTable, JsonTable, Row } from "../../model/record.ts";
import type { CsvHeader, RenamedColumns } from "../csv/csv-header.ts";
import { type CsvLayout, csvLayout } from "../csv/csv-layout.ts";
import { type CsvOptions, csvRows } from "../csv/csv-rows.ts";
import { beginsWith, fileKind, GZIP_MAGIC, isWorkbook, refuseContainers } from "./file-kind.ts";
import { emptyFile, jsonRows, ndjsonRows } from "../json/json-rows.ts";
import type { ReadLimits } from "../read-limits.ts";
import type { ReadRow } from "../row/read-row.ts";
import type { FoundFile } from "./source-files.ts";
import { fileBytes, type PackedFile, readFailure } from "../text/file-bytes.ts";
import { canBeginAnywhere, textBytes, type TextSource } from "../text/text-bytes.ts";
import { likelyEncoding, textEncoding } from "../text/text-encoding.ts";
import type { OpenedSheet } from "../workbook/open-workbook.ts";

/** A file whose start has been read: its kind, and how to read the rest. */
export type OpenedFile = OpenedCsv | OpenedSheetFile | OpenedJson;

interface OpenedCsv extends TextSource {
  readonly kind: "csv";
  readonly found: FoundFile;
  readonly layout: CsvLayout;
}

interface OpenedSheetFile extends PackedFile {
  readonly kind: "xlsx";
  readonly found: FoundFile;
  readonly sheet: OpenedSheet;
}

interface OpenedJson extends TextSource {
  readonly kind: "json" | "ndjson";
  readonly found: FoundFile;
  readonly table: JsonTable;
}

/** Options for reading the files of sources. */
export interface FileOptions {
  /** Encoding of files without a byte order mark; default UTF-8. */
  readonly encoding?: string | undefined;
  /** Returns the encoding of the file at a path. This encoding overrides `encoding`. */
  readonly encodingOf?: ((path: string) => string | undefined) | undefined;
  /** Whether an NDJSON file may be empty. A JSON file without records must contain `[]`. */
  readonly mayBeEmpty?: boolean | undefined;
  /** Whether to skip rows without any text in CSV files. */
  readonly skipsEmptyRows?: boolean | undefined;
  /** Called with each row of a source before it is joined; returns the row to use. */
  readonly amend?: ((row: Row, source: string) => Row) | undefined;
  /** One character, `tab` or `\t`; default: detected from the first lines. */
  readonly delimiter?: string | undefined;
  /** Aborts the search for the matches of a glob. */
  readonly signal?: AbortSignal | undefined;
}

export interface OpenOptions extends FileOptions {
  readonly limits: ReadLimits;
  readonly notify: (file: string, text: string) => void;
  /** Returns the name to show for a path in places and messages. */
  readonly displayName: (path: string) => string;
  /**
   * Returns when a file was last modified, in milliseconds since 1970; default: the file's current modification time.
   */
  readonly dateOf?: (found: FoundFile) => number | undefined;
  /** Called for each chunk, with the current read position in the file on disk, in bytes. */
  readonly onPosition?: (path: string, position: number) => void;
}

/**
 * Reads the start of a file and detects its compression, encoding and kind; for CSV, also the delimiter and the header.
 * @throws Failure for any error at the start of the file
 */
export async function openFile(
  found: FoundFile,
  opening: OpenOptions,
  renamed: RenamedColumns = new Map(),
): Promise<OpenedFile> {
  const file = opening.displayName(found.path);
  const notify = (text: string): void => opening.notify(file, text);
  const gzip = beginsWith(await rawHead(found.path, file), GZIP_MAGIC);
  notifyCompression(found.path, gzip, notify);
  const onPosition = (position: number): void => opening.onPosition?.(found.path, position);
  const { limits, dateOf } = opening;
  const modifiedMs = dateOf === undefined ? found.modifiedMs : dateOf(found);
  const packed: PackedFile = { path: found.path, file, gzip, limits, modifiedMs, onPosition };
  const head = await firstChunk(fileBytes(packed));
  if (!gzip && isWorkbook(file, head)) return openWorkbook(packed, found, { opening, renamed });
  refuseOtherThanWorkbook(found, file);
  await refuseContainers(packed, head);
  const declared = opening.encodingOf?.(found.path) ?? opening.encoding;
  const encoding = textEncoding(file, head, declared);
  if (declared !== undefined && encoding.bomBytes > 0) {
    notify(`its byte order mark indicates ${encoding.name}, so it is read as ${encoding.name}, not as ${declared}`);
  }
  const source: TextSource = { ...packed, encoding };
  const text = await firstWords(source);
  const kind = fileKind(file, basename(found.path), text);
  if (kind === "csv") {
    const { delimiter, skipsEmptyRows } = opening;
    const settings = { delimiter, renamed, skipsEmptyRows };
    return { ...source, kind, found, layout: await csvLayout(source, settings, notify) };
  }
  if (renamed.size > 0) {
    throw new Failure("mapping_invalid", `${file}: the mapping renames its columns, but the file is JSON`, {
      hint: "remove `rename` from the source: the fields of JSON records already have names",
    });
  }
  if (text === "") refuseEmptyJson(file, opening);
  return { ...source, kind, found, table: { kind: "json", file, modifiedMs } };
}

function refuseEmptyJson(file: string, { mayBeEmpty = false }: OpenOptions): void {
  if (!mayBeEmpty) throw emptyFile(file);
}

/** Loads the code for workbooks on demand. */
async function openWorkbook(
  packed: PackedFile,
  found: FoundFile,
  { opening, renamed }: { readonly opening: OpenOptions; readonly renamed: RenamedColumns },
): Promise<OpenedFile> {
  const { openSheet } = await import("../workbook/open-workbook.ts");
  const source = { ...packed, bytes: found.bytes };
  const sheet = await openSheet(source, { sheet: found.sheet, renamed, notify: opening.notify });
  return { ...packed, file: sheet.file, kind: "xlsx", found, sheet };
}

/** @throws Failure `usage` if a sheet is requested, but the file is not a workbook */
function refuseOtherThanWorkbook({ sheet }: FoundFile, file: string): void {
  if (sheet === undefined) return;
  throw new Failure("usage", `${file}: the sheet "${sheet}" is requested, but the file is not a workbook`, {
    hint: "omit the sheet; only .xlsx files have sheets",
  });
}

/** Returns the header of a file with columns; undefined for JSON. */
export function headerOf(opened: OpenedFile): CsvHeader | undefined {
  if (opened.kind === "csv") return opened.layout.header;
  return opened.kind === "xlsx" ? opened.sheet.header : undefined;
}

/** Returns the table to which the rows of a file refer. */
export function tableOf(opened: OpenedFile): CsvTable | JsonTable {
  if (opened.kind === "csv") return opened.layout.header.table;
  return opened.kind === "xlsx" ? opened.sheet.header.table : opened.table;
}

/** Estimates the size after unpacking. Assumes a compression ratio of 20, which extracts rarely exceed. */
export function unpackedBytes(file: OpenedFile): number {
  if (file.kind === "xlsx") return file.sheet.unpackedBytes;
  return file.found.bytes * (file.gzip ? 20 : 1);
}

/**
 * Yields the rows of a file in batches.
 * @param options used for CSV; for NDJSON, only `from` is used; otherwise ignored
 */
export function rowsOfFile(opened: OpenedFile, options: CsvOptions = {}): AsyncGenerator<readonly ReadRow[]> {
  if (opened.kind === "xlsx") return opened.sheet.rows();
  if (opened.kind === "csv") return csvRows(opened, opened.layout, options);
  return opened.kind === "ndjson" ? ndjsonRows(opened, opened.table, options.from) : jsonRows(opened, opened.table);
}

/** Whether the file can be read from a position in the middle. */
export function isSeekable(opened: OpenedFile): boolean {
  return (opened.kind === "csv" || opened.kind === "ndjson") && canBeginAnywhere(opened);
}

/**
 * Suggests an encoding for a file that is not UTF-8, based on the start of the file.
 * @throws Failure `source_unreadable` or `source_damaged` if the start of the file cannot be read
 */
export async function guessEncoding({ path }: FoundFile, opening: OpenOptions): Promise<string> {
  const file = opening.displayName(path);
  const gzip = beginsWith(await rawHead(path, file), GZIP_MAGIC);
  return likelyEncoding(await firstChunk(fileBytes({ path, file, gzip, limits: opening.limits })));
}

async function rawHead(path: string, file: string): Promise<Buffer> {
  try {
    const handle = await open(path, "r");
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(GZIP_MAGIC.length), 0, GZIP_MAGIC.length, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw readFailure(file, error);
  }
}

function notifyCompression(path: string, gzip: boolean, notify: (text: string) => void): void {
  const named = /\.gz$/i.test(path);
  if (gzip && !named)
    notify("is compressed with gzip, although its name does not end in .gz; it is unpacked while it is read");
  if (!gzip && named) notify("has a name that ends in .gz, but is not compressed; it is read unchanged");
}

/** Returns the first chunk that is not blank, as text; empty if there is none. */
async function firstWords(source: TextSource): Promise<string> {
  for await (const chunk of textBytes(source)) {
    const text = chunk.toString();
    if (text.trim() !== "") return text;
  }
  return "";
}

/** Returns the first chunk; empty if there is none. Does not read further chunks. */
async function firstChunk(chunks: AsyncGenerator<Buffer>): Promise<Buffer> {
  for await (const chunk of chunks) return chunk;
  return Buffer.alloc(0);
}
