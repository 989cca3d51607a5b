import type { RowPosition } from "../../model/record.ts";
import type { ChunkContent, PieceMarks, RecordChunk } from "./record-chunk.ts";

/** Complete records that were read together. */
export interface Piece extends PieceMarks {
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
