import type { OpenedFile } from "../opened-file.ts";
import { keysOf, type OpenedSource } from "../opened-source.ts";
import { csvChunks } from "./csv-chunks.ts";
import type { ChunkedInput, ChunkFile } from "./record-chunk.ts";

/** An opened source as chunks; undefined where its rows are joined with others, amended, or not found by their bytes. */
export function chunkedInput(root: OpenedSource, refuseChanged: () => Promise<void>): ChunkedInput | undefined {
  if (root.children.length > 0 || root.amend !== undefined) return undefined;
  const keys = keysOf(root);
  const files: ChunkFile[] = [];
  const opened: (OpenedFile & { readonly kind: "csv" })[] = [];
  for (const file of root.files) {
    if (file.kind !== "csv") return undefined;
    opened.push(file);
    files.push({ kind: "csv", layout: file.layout, keys });
  }
  return {
    source: root.name,
    files,
    async *chunks(signal) {
      await refuseChanged();
      for (const [index, file] of opened.entries()) {
        for await (const chunk of csvChunks(file, file.layout, index)) {
          signal?.throwIfAborted();
          yield chunk;
        }
      }
      await refuseChanged();
    },
  };
}
