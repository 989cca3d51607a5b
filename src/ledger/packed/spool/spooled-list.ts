import type { PieceStore } from "./piece-store.ts";

/** A list of JSON values that may exceed memory. */
export interface SpooledList<T> extends Iterable<T> {
  readonly add: (item: T) => void;
}

const PIECE_ITEMS = 300;

export function createSpooledList<T>(pieces: PieceStore): SpooledList<T> {
  const full: number[] = [];
  let last: T[] = [];
  return {
    add(item) {
      last.push(item);
      if (last.length < PIECE_ITEMS) return;
      full.push(pieces.add(toPiece(last)));
      last = [];
    },
    *[Symbol.iterator]() {
      for (const number of full) {
        const items: readonly T[] = JSON.parse(Buffer.from(pieces.read(number)).toString());
        yield* items;
      }
      yield* last;
    },
  };
}

function toPiece(items: readonly unknown[]): ArrayBuffer {
  const text = JSON.stringify(items);
  const memory = new ArrayBuffer(Buffer.byteLength(text));
  Buffer.from(memory).write(text);
  return memory;
}
