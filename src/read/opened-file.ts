import { open } from "node:fs/promises";
import { basename } from "node:path";
import { Failure } from "../model/failure.ts";
import type { JsonTable } from "../model/row.ts";
import { csvLayout } from "./csv-layout.ts";
import type { CsvLayout } from "./csv-layout.ts";
import { csvRows } from "./csv-rows.ts";
import { fileBytes, readFailure } from "./file-bytes.ts";
import type { PackedFile } from "./file-bytes.ts";
import { beginsWith, fileKind, GZIP_MAGIC, refuseContainers } from "./file-kind.ts";
import { jsonRows, ndjsonRows } from "./json-rows.ts";
import type { ReadLimits } from "./read-limits.ts";
import type { ReadRow } from "./read-row.ts";
import type { FoundFile } from "./source-paths.ts";
import { textBytes } from "./text-bytes.ts";
import type { TextSource } from "./text-bytes.ts";
import { textEncoding } from "./text-encoding.ts";

/** A file that was looked into: what kind it is of, and how to read it. */
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
export interface Opening {
  readonly encoding: string | undefined;
  readonly delimiter: string | undefined;
  readonly limits: ReadLimits;
  readonly say: (file: string, text: string) => void;
  /** The name that places show, for a path that the user never typed. */
  readonly displayName: (path: string) => string;
}

/**
 * Looks into a file: packed or not, encoding, kind, and for CSV delimiter and header.
 * Raises every failure that the beginning of the file calls for.
 */
export async function openFile(found: FoundFile, opening: Opening): Promise<OpenedFile> {
  const file = opening.displayName(found.path);
  const say = (text: string): void => opening.say(file, text);
  const gzip = beginsWith(await rawHead(found.path, file), GZIP_MAGIC);
  sayPacking(found.path, gzip, say);
  const packed: PackedFile = { path: found.path, file, gzip, limits: opening.limits };
  const head = await first(fileBytes(packed));
  refuseContainers(file, head);
  const encoding = textEncoding(file, head, opening.encoding);
  if (opening.encoding !== undefined && encoding.bomBytes > 0) {
    say(`its byte order mark says ${encoding.name}: read so, not as ${opening.encoding}`);
  }
  const source: TextSource = { ...packed, encoding };
  const text = await firstWords(source);
  const kind = fileKind(file, basename(found.path), text);
  if (kind === "csv") {
    return { ...source, kind, found, layout: await csvLayout(source, opening.delimiter, say) };
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

function sayPacking(path: string, gzip: boolean, say: (text: string) => void): void {
  const named = /\.gz$/i.test(path);
  if (gzip && !named) say("is gzip under a name without .gz: read through");
  if (!gzip && named) say("is named .gz but is not compressed: read as it is");
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
async function first(chunks: AsyncGenerator<Buffer>): Promise<Buffer> {
  for await (const chunk of chunks) return chunk;
  return Buffer.alloc(0);
}
