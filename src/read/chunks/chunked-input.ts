import type { OpenedFile } from "../input/opened-file.ts";
import { canBeginAt, keysOf, type OpenedSource } from "../input/opened-source.ts";
import { type InputPosition, isCsvRow, type RowPosition } from "../../model/record.ts";
import type { ChunkContent, ChunkedInput, ChunkFile, KeptRow, PieceMarks, RecordChunk } from "./record-chunk.ts";
import type { CsvLayout } from "../csv/csv-layout.ts";
import { csvRecords } from "../csv/csv-records.ts";
import { canBeginAnywhere, textBytes, type TextSource } from "../text/text-bytes.ts";
import { WHOLE_RECORDS } from "../csv/record-boundaries.ts";
import { NO_PROBLEMS, type ReadRow } from "../row/read-row.ts";
import type { OpenedSheet } from "../workbook/open-workbook.ts";
import { jsonElements } from "../json/json-rows.ts";
import { ndjsonPieces } from "../json/ndjson-lines.ts";

/** Returns a source as chunks; undefined if other sources are joined to it, or its rows are amended or skipped. */
export function chunkedInput(root: OpenedSource, refuseChanged: () => Promise<void>): ChunkedInput | undefined {
  const { files } = root;
  const skipsRows = files.some((file) => file.kind === "csv" && file.layout.skipsEmptyRows === true);
  if (root.children.length > 0 || root.amend !== undefined || skipsRows) return undefined;
  const keys = keysOf(root);
  return {
    source: root.name,
    files: files.map((file) => chunkFile(file, keys)),
    canBeginAt: (place) => canBeginAt(place, root) && files.every(({ kind }) => kind === "csv"),
    async *chunks(signal, from) {
      await refuseChanged();
      const begin = from === undefined ? 0 : files.findIndex(({ file }) => file === from.file);
      for (const [index, file] of files.entries()) {
        if (index < begin) continue;
        const place = index === begin ? from : undefined;
        const isAtStart = file.kind !== "xlsx" && place === undefined;
        for await (const chunk of chunksOf(piecesOf(file, place), index, isAtStart)) {
          signal?.throwIfAborted();
          yield chunk;
        }
      }
      await refuseChanged();
    },
  };
}

function chunkFile(file: OpenedFile, keys: readonly string[]): ChunkFile {
  if (file.kind === "csv") return { kind: "csv", layout: file.layout, keys };
  if (file.kind === "xlsx") {
    return { kind: "csv", layout: { header: file.sheet.header, delimiter: SHEET_DELIMITER, headerByte: 0 }, keys };
  }
  const { kind, table, limits } = file;
  return { kind, table, jsonRecordBytes: limits.jsonRecordBytes, keys };
}

function piecesOf(file: OpenedFile, from: InputPosition | undefined): AsyncGenerator<Piece> {
  if (file.kind === "xlsx") return sheetPieces(file.sheet);
  if (file.kind === "csv") return csvPieces(file, file.layout, from);
  return file.kind === "ndjson" ? ndjsonPiecesOf(file) : jsonPieces(file);
}

/**
 * Yields the records of a CSV file, including its header, in the same groups as `csvRows`. Throws the same failures as
 * `csvRows`.
 * @param from where to start, after the header; default: at the header
 */
async function* csvPieces(source: TextSource, layout: CsvLayout, from?: RowPosition): AsyncGenerator<Piece> {
  const isSeekable = canBeginAnywhere(source);
  for await (const { bytes, boundaries, line, next } of csvRecords(source, layout, from)) {
    yield { bytes: [bytes], line, boundaries, next: isSeekable ? next : undefined };
  }
}

/** Complete records that were read together. */
interface Piece extends PieceMarks {
  readonly bytes: readonly Uint8Array[];
  /** The position of the record after the piece, if the file can be read from there. */
  readonly next?: RowPosition | undefined;
}

/**
 * Minimum size of every chunk except the last: a few thousand records. This is large enough to justify a message to a
 * thread, and small enough to keep all threads busy.
 */
const CHUNK_BYTES = 256 * 1024;

/**
 * Combines the pieces of one file into chunks. If reading a piece fails, yields the earlier pieces before it throws the
 * error.
 * @param isFirst whether the first piece is at the start of the file
 */
async function* chunksOf(pieces: AsyncIterable<Piece>, file: number, isFirst: boolean): AsyncGenerator<RecordChunk> {
  let waiting: Piece[] = [];
  let size = 0;
  let beginsFile = isFirst;
  const take = (): RecordChunk => {
    const next = waiting.at(-1)?.next;
    const chunk = { file, isFirst: beginsFile, next, ...joined(waiting, size) };
    waiting = [];
    size = 0;
    beginsFile = false;
    return chunk;
  };
  try {
    for await (const piece of pieces) {
      waiting.push(piece);
      size += piece.bytes.reduce((sum, { length }) => sum + length, 0);
      if (size >= CHUNK_BYTES) yield take();
    }
  } catch (error) {
    if (waiting.length > 0) yield take();
    throw error;
  }
  if (waiting.length > 0) yield take();
}

/** Copies the bytes into a new buffer, so that the buffer can be transferred to another thread. */
function joined(waiting: readonly Piece[], size: number): ChunkContent {
  const bytes: Uint8Array<ArrayBuffer> = Buffer.allocUnsafeSlow(size);
  let end = 0;
  const pieces = waiting.map(({ bytes: parts, next: _next, ...marks }) => {
    for (const part of parts) {
      bytes.set(part, end);
      end += part.length;
    }
    return { ...marks, end };
  });
  return { bytes, pieces };
}

/** The delimiter of the records into which rows of a sheet are converted. */
const SHEET_DELIMITER = ",";

/** Yields the rows below a sheet's header as CSV records, in the groups in which they are read. */
async function* sheetPieces(sheet: OpenedSheet): AsyncGenerator<Piece> {
  for await (const rows of sheet.rows()) if (rows.length > 0) yield sheetPiece(rows);
}

function sheetPiece(rows: readonly ReadRow[]): Piece {
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

/** Yields the elements of a JSON document, in the same groups as `jsonRows`. Throws the same failures as `jsonRows`. */
async function* jsonPieces(source: TextSource): AsyncGenerator<Piece> {
  for await (const { elements, firstIndex } of jsonElements(source)) {
    const lines = elements.map(({ line }) => line);
    const lengths = elements.map(({ bytes }) => bytes?.length ?? -1);
    const bytes = elements.flatMap((element) => element.bytes ?? []);
    yield { bytes, line: lines[0] ?? 1, elements: { firstIndex, lines, lengths } };
  }
}

/** Yields the lines of an NDJSON file, in the same groups as `ndjsonRows`. */
async function* ndjsonPiecesOf(source: TextSource): AsyncGenerator<Piece> {
  for await (const piece of ndjsonPieces(textBytes(source), source.limits.jsonRecordBytes)) {
    yield { ...piece, next: undefined };
  }
}
