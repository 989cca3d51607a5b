import type { OpenedFile } from "../input/opened-file.ts";
import { canBeginAt, keysOf, type OpenedSource } from "../input/opened-source.ts";
import type { InputPosition, RowPosition } from "../../model/record.ts";
import { chunksOf, type Piece } from "./chunk-builder.ts";
import { jsonPieces, ndjsonPieces } from "./json-pieces.ts";
import type { ChunkedInput, ChunkFile } from "./record-chunk.ts";
import { SHEET_DELIMITER, sheetPieces } from "./sheet-pieces.ts";
import type { CsvLayout } from "../csv/csv-layout.ts";
import { csvRecords } from "../csv/csv-records.ts";
import { canBeginAnywhere, type TextSource } from "../text/text-bytes.ts";

/** Returns a source as chunks; undefined if other sources are joined to it, or its rows are amended. */
export function chunkedInput(root: OpenedSource, refuseChanged: () => Promise<void>): ChunkedInput | undefined {
  const { files } = root;
  if (root.children.length > 0 || root.amend !== undefined) return undefined;
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
        for await (const chunk of chunksOf(piecesOf(file, place), index, isAtHeader(file, place))) {
          signal?.throwIfAborted();
          yield chunk;
        }
      }
      await refuseChanged();
    },
  };
}

function isAtHeader({ kind }: OpenedFile, place: InputPosition | undefined): boolean {
  return kind !== "xlsx" && place === undefined;
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
  return file.kind === "ndjson" ? ndjsonPieces(file) : jsonPieces(file);
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
