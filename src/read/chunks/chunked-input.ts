import type { OpenedFile } from "../input/opened-file.ts";
import { canBeginAt, keysOf, type OpenedSource } from "../input/opened-source.ts";
import type { InputPosition, RowPosition } from "../../model/record.ts";
import { chunksOf, type Piece } from "./chunk-builder.ts";
import { jsonPieces, ndjsonPieces } from "./json-pieces.ts";
import type { ChunkedInput, ChunkFile } from "./record-chunk.ts";
import type { CsvLayout } from "../csv/csv-layout.ts";
import { csvRecords } from "../csv/csv-records.ts";
import { canBeginAnywhere, type TextSource } from "../text/text-bytes.ts";

/**
 * Returns a source as chunks; undefined if other sources are joined to it, its rows are amended, or a file is a
 * workbook.
 */
export function chunkedInput(root: OpenedSource, refuseChanged: () => Promise<void>): ChunkedInput | undefined {
  const texts = root.files.filter((file) => file.kind !== "xlsx");
  if (root.children.length > 0 || root.amend !== undefined || texts.length < root.files.length) return undefined;
  const keys = keysOf(root);
  return {
    source: root.name,
    files: texts.map((file) => chunkFile(file, keys)),
    canBeginAt: (place) => canBeginAt(place, root) && texts.every(({ kind }) => kind === "csv"),
    async *chunks(signal, from) {
      await refuseChanged();
      const begin = from === undefined ? 0 : texts.findIndex(({ file }) => file === from.file);
      for (const [index, file] of texts.entries()) {
        if (index < begin) continue;
        const place = index === begin ? from : undefined;
        for await (const chunk of chunksOf(piecesOf(file, place), index, place === undefined)) {
          signal?.throwIfAborted();
          yield chunk;
        }
      }
      await refuseChanged();
    },
  };
}

type OpenedText = Exclude<OpenedFile, { readonly kind: "xlsx" }>;

function chunkFile(file: OpenedText, keys: readonly string[]): ChunkFile {
  if (file.kind === "csv") return { kind: "csv", layout: file.layout, keys };
  const { kind, table, limits } = file;
  return { kind, table, jsonRecordBytes: limits.jsonRecordBytes, keys };
}

function piecesOf(file: OpenedText, from: InputPosition | undefined): AsyncGenerator<Piece> {
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
