/**
 * Planned items as they are handed on: between threads, and into a temporary ledger, which keeps them as they are.
 * Copying them as objects would take longer than making them.
 */
export interface PackedItems {
  /** `columnsIn` reads them. To be moved to another thread: `postMessage(items, [items.columns])`. */
  readonly columns: ArrayBuffer;
  readonly files: readonly string[];
}

/** Planned items as columns over one piece of memory. */
export interface ItemColumns {
  readonly count: number;
  /** `NUMBERS` of each item: record, line, content (NaN: none), mark of the key (NaN: none). */
  readonly numbers: Float64Array;
  /** Where each item's key ends in `keys`; it begins where the one before ends. */
  readonly keyEnds: Uint32Array;
  /** Each item's file, as its position in the list's files. */
  readonly fileNumbers: Uint32Array;
  /** Bits of `FLAG`. */
  readonly flags: Uint8Array;
  /** The keys in UTF-8, one behind the other. */
  readonly keys: Uint8Array;
  /** Where each item's extra ends in `extras`; most have none. */
  readonly extraEnds: Uint32Array;
  /** What few items have: hashes, and problems as JSON. */
  readonly extras: Uint8Array;
}

/** Numbers of an item, and where each stands. */
export const NUMBERS = 4;
export const NUMBER = { record: 0, line: 1, content: 2, mark: 3 } as const;

/** What is true of an item. */
export const FLAG = { invalid: 1, extra: 2, key: 4 } as const;

interface ColumnSizes {
  readonly count: number;
  readonly keyBytes: number;
  readonly extraBytes: number;
}

/** A header is followed by the columns, those of the widest numbers first. */
const HEADER_BYTES = 16;
const BYTES_OF_ITEM = NUMBERS * 8 + 4 + 4 + 4 + 1;

/** The memory of columns that are still to be filled. */
export function newColumns({ count, keyBytes, extraBytes }: ColumnSizes): ArrayBuffer {
  const memory = new ArrayBuffer(HEADER_BYTES + count * BYTES_OF_ITEM + keyBytes + extraBytes);
  new Uint32Array(memory, 0, 3).set([count, keyBytes, extraBytes]);
  return memory;
}

export function columnsIn(memory: ArrayBuffer): ItemColumns {
  const [count = 0, keyBytes = 0, extraBytes = 0] = new Uint32Array(memory, 0, 3);
  let at = HEADER_BYTES;
  const next = (length: number): number => {
    const start = at;
    at += length;
    return start;
  };
  return {
    count,
    numbers: new Float64Array(memory, next(count * NUMBERS * 8), count * NUMBERS),
    keyEnds: new Uint32Array(memory, next(count * 4), count),
    fileNumbers: new Uint32Array(memory, next(count * 4), count),
    extraEnds: new Uint32Array(memory, next(count * 4), count),
    flags: new Uint8Array(memory, next(count), count),
    keys: new Uint8Array(memory, next(keyBytes), keyBytes),
    extras: new Uint8Array(memory, next(extraBytes), extraBytes),
  };
}
