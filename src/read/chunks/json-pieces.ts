import { jsonElements } from "../json/json-rows.ts";
import { isSpace } from "../json/json-splitter.ts";
import { textBytes, type TextSource } from "../text/text-bytes.ts";
import type { Piece } from "./chunk-builder.ts";

/** The elements of a JSON document: those together that `jsonRows` would give together. Raises the same failures. */
export async function* jsonPieces(source: TextSource): AsyncGenerator<Piece> {
  for await (const { elements, firstIndex } of jsonElements(source)) {
    const lines = elements.map(({ line }) => line);
    const lengths = elements.map(({ bytes }) => bytes?.length ?? -1);
    const bytes = elements.flatMap((element) => element.bytes ?? []);
    yield { bytes, line: lines[0] ?? 1, elements: { firstIndex, lines, lengths } };
  }
}

const LF = 10;

/** The lines of an NDJSON file: those together that `ndjsonRows` would give together. */
export async function* ndjsonPieces(source: TextSource): AsyncGenerator<Piece> {
  const limit = source.limits.jsonRecordBytes;
  let line = 1;
  /** The beginning of a line; nothing is kept of one that is too long. */
  let carried: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of withoutBlankStart(textBytes(source), (lines) => (line += lines))) {
    const lineEnd = size === 0 ? -1 : chunk.indexOf(LF);
    const isTooLong = size > 0 && lineEnd >= 0 && size + lineEnd > limit;
    const start = isTooLong ? lineEnd + 1 : 0;
    const end = chunk.lastIndexOf(LF) + 1;
    if (end > 0) {
      const tooLongAt = isTooLong ? line : undefined;
      if (isTooLong) line += 1;
      yield { bytes: [...(isTooLong ? [] : carried), chunk.subarray(start, end)], line, tooLongAt };
      line += countLineFeeds(chunk.subarray(start, end));
      carried = [];
      size = 0;
    }
    const rest = size === 0 ? withoutSpace(chunk.subarray(end)) : chunk;
    size += rest.length;
    carried = size > limit ? [] : [...carried, rest];
  }
  if (size > 0) yield { bytes: carried, line, tooLongAt: size > limit ? line : undefined };
}

/** The first chunk with something in it, and those behind it; `passOver` is told how many line ends stand before it. */
async function* withoutBlankStart(
  chunks: AsyncIterable<Buffer>,
  passOver: (lines: number) => void,
): AsyncGenerator<Buffer> {
  let isBlank = true;
  for await (const chunk of chunks) {
    isBlank &&= withoutSpace(chunk).length === 0;
    if (isBlank) passOver(countLineFeeds(chunk));
    else yield chunk;
  }
}

function countLineFeeds(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) count += 1;
  return count;
}

function withoutSpace(bytes: Buffer): Buffer {
  let start = 0;
  while (start < bytes.length && isSpace(bytes[start])) start += 1;
  return bytes.subarray(start);
}
