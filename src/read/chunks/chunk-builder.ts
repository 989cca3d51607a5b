import type { RowPosition } from "../../model/record.ts";
import type { PieceMarks, RecordChunk } from "./record-chunk.ts";

/** Some whole records that were read together. */
export interface Piece extends PieceMarks {
  readonly bytes: readonly Uint8Array[];
  /** Where what follows begins, if the file can be read from there. */
  readonly next?: RowPosition | undefined;
}

/** Some thousand records: enough to be worth a message, few enough to keep all threads at work. */
const CHUNK_BYTES = 256 * 1024;

/**
 * The pieces of one file, put together to chunks. What goes wrong with the pieces is thrown behind those before it.
 * @param isFirst the file begins with the first of them
 */
export async function* chunksOf(
  pieces: AsyncIterable<Piece>,
  file: number,
  isFirst: boolean,
): AsyncGenerator<RecordChunk> {
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

/** Buffers share their memory with others, so the bytes are copied. */
function joined(waiting: readonly Piece[], size: number): Pick<RecordChunk, "bytes" | "pieces"> {
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
