import type { OpenedFile } from "../input/opened-file.ts";
import { keysOf, type OpenedSource } from "../input/opened-source.ts";
import { chunksOf, type Piece } from "./chunk-builder.ts";
import { csvPieces } from "./csv-pieces.ts";
import { jsonPieces, ndjsonPieces } from "./json-pieces.ts";
import type { ChunkedInput, ChunkFile } from "./record-chunk.ts";

/** A source as chunks; undefined where its rows are joined with others, amended, or not found by their bytes. */
export function chunkedInput(root: OpenedSource, refuseChanged: () => Promise<void>): ChunkedInput | undefined {
  const texts = root.files.filter((file) => file.kind !== "xlsx");
  if (root.children.length > 0 || root.amend !== undefined || texts.length < root.files.length) return undefined;
  const keys = keysOf(root);
  return {
    source: root.name,
    files: texts.map((file) => chunkFile(file, keys)),
    async *chunks(signal) {
      await refuseChanged();
      for (const [index, file] of texts.entries()) {
        for await (const chunk of chunksOf(piecesOf(file), index)) {
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

function piecesOf(file: OpenedText): AsyncGenerator<Piece> {
  if (file.kind === "csv") return csvPieces(file, file.layout);
  return file.kind === "ndjson" ? ndjsonPieces(file) : jsonPieces(file);
}
