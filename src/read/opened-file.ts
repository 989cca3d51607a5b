import { open } from "node:fs/promises";
import { basename } from "node:path";
import { parseJson } from "../json/parse-json.ts";
import { Failure } from "../model/failure.ts";
import type { JsonTable } from "../model/record.ts";
import type { RenamedColumns } from "./csv/csv-header.ts";
import { type CsvLayout, csvLayout } from "./csv/csv-layout.ts";
import { csvRows } from "./csv/csv-rows.ts";
import { jsonRows, ndjsonRows } from "./json/json-rows.ts";
import type { ReadLimits } from "./read-limits.ts";
import type { ReadRow } from "./read-row.ts";
import type { FoundFile } from "./source-files.ts";
import { fileBytes, type PackedFile, readFailure } from "./text/file-bytes.ts";
import { textBytes, type TextSource } from "./text/text-bytes.ts";
import { textEncoding } from "./text/text-encoding.ts";

/** A file whose beginning was read: what kind it is, and how to read the rest. */
export type OpenedFile = OpenedCsv | OpenedJson;

interface OpenedCsv extends TextSource {
  readonly kind: "csv";
  readonly found: FoundFile;
  readonly layout: CsvLayout;
}

interface OpenedJson extends TextSource {
  readonly kind: "json" | "ndjson";
  readonly found: FoundFile;
  readonly table: JsonTable;
}

/** How the files of one input are to be taken. */
export interface OpenOptions {
  readonly encoding: string | undefined;
  readonly delimiter: string | undefined;
  readonly limits: ReadLimits;
  readonly notify: (file: string, text: string) => void;
  /** The name that places show, for a path that the user never typed. */
  readonly displayName: (path: string) => string;
}

/**
 * Reads the beginning of a file: packed or not, encoding, kind, and for CSV delimiter and header.
 * Raises every failure that the beginning of the file calls for.
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
  const packed: PackedFile = { path: found.path, file, gzip, limits: opening.limits };
  const head = await firstChunk(fileBytes(packed));
  refuseContainers(file, head);
  const encoding = textEncoding(file, head, opening.encoding);
  if (opening.encoding !== undefined && encoding.bomBytes > 0) {
    notify(`its byte order mark says ${encoding.name}: read so, not as ${opening.encoding}`);
  }
  const source: TextSource = { ...packed, encoding };
  const text = await firstWords(source);
  const kind = fileKind(file, basename(found.path), text);
  if (kind === "csv") {
    const settings = { delimiter: opening.delimiter, renamed };
    return { ...source, kind, found, layout: await csvLayout(source, settings, notify) };
  }
  if (renamed.size > 0) {
    throw new Failure("mapping_invalid", `${file}: the mapping renames its columns, but it is JSON`, {
      hint: "take rename out of the source: the members of JSON records have names",
    });
  }
  if (text === "") {
    throw new Failure("source_empty", `${file}: is empty`, { place: { file, line: 1 } });
  }
  return { ...source, kind, found, table: { kind: "json", file } };
}

/** The rows of a file, a batch a chunk of its bytes. */
export function rowsOfFile(opened: OpenedFile): AsyncGenerator<readonly ReadRow[]> {
  if (opened.kind === "csv") return csvRows(opened, opened.layout);
  return opened.kind === "ndjson" ? ndjsonRows(opened, opened.table) : jsonRows(opened, opened.table);
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
  if (gzip && !named) notify("is gzip under a name without .gz: read through");
  if (!gzip && named) notify("is named .gz but is not compressed: read as it is");
}

/** The first chunk that holds more than white space; empty when none does. */
async function firstWords(source: TextSource): Promise<string> {
  for await (const chunk of textBytes(source)) {
    const text = chunk.toString();
    if (text.trim() !== "") return text;
  }
  return "";
}

/** The first chunk, empty when there is none; the rest is not read. */
async function firstChunk(chunks: AsyncGenerator<Buffer>): Promise<Buffer> {
  for await (const chunk of chunks) return chunk;
  return Buffer.alloc(0);
}

/** How the records of a file are written down. */
type FileKind = "csv" | "json" | "ndjson";

const GZIP_MAGIC: Uint8Array = Uint8Array.of(0x1f, 0x8b);

/** True when `head` begins with `magic`. */
function beginsWith(head: Uint8Array, magic: Uint8Array): boolean {
  return magic.every((byte, index) => head[index] === byte);
}

/**
 * Refuses a file whose first bytes say that it holds something other than text (`source_wrong_kind`, named).
 * `head` is the beginning of the unpacked file.
 */
function refuseContainers(file: string, head: Buffer): void {
  const known = CONTAINERS.find(({ magic }) => beginsWith(head, Buffer.from(magic, "latin1")));
  if (known === undefined) return;
  const workbook = known.what === "a zip archive" && (/\.xls[xmb]$/i.test(file) || head.includes("xl/"));
  const what = workbook ? "an Excel workbook" : known.what;
  throw new Failure("source_wrong_kind", `${file}: is ${what}, not CSV or JSON`, { hint: adviceFor(what) });
}

/**
 * The kind of a file, by its name and by what it begins with. Names that promise one kind and hold another are
 * refused (`source_wrong_kind`); other names (`extract.dat`, stdin) go by content alone.
 */
function fileKind(file: string, name: string, text: string): FileKind {
  const start = text.slice(0, HEAD_CHARACTERS).trimStart();
  if (/^<(!doctype\s+html|html|head|body)\b/i.test(start)) {
    throw new Failure("source_wrong_kind", `${file}: is an HTML page, not CSV or JSON`, {
      hint: "look into it: it may be the login or error page of the site that the extract was downloaded from",
    });
  }
  if (start.startsWith("<?xml")) {
    throw new Failure("source_wrong_kind", `${file}: is XML, not CSV or JSON`, { hint: adviceFor("XML") });
  }
  const bare = name.replace(/\.gz$/i, "");
  if (/\.(csv|tsv|tab|txt)$/i.test(bare)) return asCsv(file, start);
  if (/\.(ndjson|jsonl|jsons)$/i.test(bare)) return "ndjson";
  if (/\.json$/i.test(bare)) return asJson(file, start);
  return kindByContent(start);
}

const HEAD_CHARACTERS = 65_536;

const CONTAINERS: readonly { readonly magic: string; readonly what: string }[] = [
  { magic: "PK\x03\x04", what: "a zip archive" },
  { magic: "PK\x05\x06", what: "an empty zip archive" },
  { magic: "\xd0\xcf\x11\xe0", what: "an old Excel or Word file" },
  { magic: "%PDF-", what: "a PDF" },
  { magic: "\x89PNG", what: "a PNG picture" },
  { magic: "\xff\xd8\xff", what: "a JPEG picture" },
  { magic: "GIF8", what: "a GIF picture" },
  { magic: "SQLite format 3\0", what: "an SQLite database" },
  { magic: "BZh", what: "a bzip2 archive" },
  { magic: "\xfd7zXZ\0", what: "an xz archive" },
  { magic: "\x28\xb5\x2f\xfd", what: "a zstd archive" },
  { magic: "7z\xbc\xaf\x27\x1c", what: "a 7-Zip archive" },
  { magic: "\x1f\x8b", what: "gzip inside gzip" },
  { magic: "PAR1", what: "a Parquet file" },
  { magic: "Rar!", what: "a RAR archive" },
  { magic: "\x7fELF", what: "a program" },
];

function adviceFor(what: string): string {
  if (what.includes("Excel")) return "save the sheet as CSV UTF-8, and give that file";
  if (what.includes("archive") || what.includes("gzip")) return "unpack it first; only .gz is read through";
  return "give the extract as CSV, JSON or NDJSON";
}

/** A header that begins with a bracket is far rarer than JSON under a wrong name. */
function asCsv(file: string, start: string): FileKind {
  if (looksLikeJson(start)) {
    throw new Failure("source_wrong_kind", `${file}: holds JSON under a CSV name`, {
      hint: "name it .json (one array or object) or .ndjson (one object a line)",
    });
  }
  return "csv";
}

function asJson(file: string, start: string): FileKind {
  if (start === "" || start.startsWith("[") || start.startsWith("{")) return "json";
  throw new Failure("source_wrong_kind", `${file}:1: JSON records begin with [ or {, this begins otherwise`, {
    hint: "if it is CSV, name it .csv: the extension decides how a file is read",
    place: { file, line: 1 },
  });
}

function looksLikeJson(start: string): boolean {
  return /^(\{\s*["}]|\[\s*[[{"\]\d])/.test(start);
}

function kindByContent(start: string): FileKind {
  if (!looksLikeJson(start)) return "csv";
  if (start.startsWith("[")) return "json";
  const [first = "", ...rest] = start.split("\n");
  return parseJson(first) !== undefined && rest.some((line) => line.trim() !== "") ? "ndjson" : "json";
}
