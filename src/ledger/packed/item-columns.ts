/**
 * Plan items in the packed format that threads exchange and temporary ledgers store. Copying items as objects would
 * take longer than creating them.
 */
export interface PackedItems {
  /**
   * The buffer with the columns, for `columnsIn`. To move it to another thread: `postMessage(items, [items.columns])`.
   */
  readonly columns: ArrayBuffer;
  readonly files: readonly string[];
  readonly problems: ProblemCounts;
}

/** Number of problems per code. */
export interface ProblemCounts {
  readonly error: ReadonlyMap<string, number>;
  readonly warning: ReadonlyMap<string, number>;
}

/** The columns with one value for each plan item. */
export interface ItemValues {
  readonly records: Float64Array;
  readonly lines: Float64Array;
  /** Content hashes of the items, as numbers; NaN for an item without content. */
  readonly contents: Float64Array;
  /** Marks of the keys (`packKey`); NaN for an item without a key. */
  readonly marks: Float64Array;
  /** End of each item's key in `keys`. A key starts where the previous key ends. */
  readonly keyEnds: Uint32Array;
  /** The file of each item, as an index into `files`. */
  readonly fileNumbers: Uint32Array;
  /** Bits of `FLAG`. */
  readonly flags: Uint8Array;
  /** End of each item's extra properties in `extras`. In an `UnsentRun`, most items have none. */
  readonly extraEnds: Uint32Array;
}

/** Plan items as columns in one buffer. */
export interface ItemColumns extends ItemValues {
  readonly count: number;
  /** The concatenated keys in UTF-8. */
  readonly keys: Buffer;
  /** The encoded `ItemExtra` of each item: hashes, two numbers, and problems as JSON. */
  readonly extras: Buffer;
}

export const FLAG = { invalid: 1, extra: 2, key: 4 } as const;

interface ColumnSizes {
  readonly count: number;
  readonly keyBytes: number;
  readonly extraBytes: number;
}

/** Size of the header. The columns follow, those with the widest numbers first, so that all numbers are aligned. */
const HEADER_BYTES = 16;
const BYTES_OF_ITEM = 4 * 8 + 3 * 4 + 1;

export function newColumns({ count, keyBytes, extraBytes }: ColumnSizes): ArrayBuffer {
  const memory = new ArrayBuffer(HEADER_BYTES + count * BYTES_OF_ITEM + keyBytes + extraBytes);
  new Uint32Array(memory, 0, 3).set([count, keyBytes, extraBytes]);
  return memory;
}

export function columnsIn(memory: ArrayBuffer): ItemColumns {
  const [count = 0, keyBytes = 0, extraBytes = 0] = new Uint32Array(memory, 0, 3);
  let end = HEADER_BYTES;
  const next = (length: number): number => {
    end += length;
    return end - length;
  };
  const doubles = (): Float64Array => new Float64Array(memory, next(count * 8), count);
  const integers = (): Uint32Array => new Uint32Array(memory, next(count * 4), count);
  return {
    count,
    records: doubles(),
    lines: doubles(),
    contents: doubles(),
    marks: doubles(),
    keyEnds: integers(),
    fileNumbers: integers(),
    extraEnds: integers(),
    flags: new Uint8Array(memory, next(count), count),
    keys: Buffer.from(memory, next(keyBytes), keyBytes),
    extras: Buffer.from(memory, next(extraBytes), extraBytes),
  };
}

/** Returns the key of the item at this index; undefined if the item has no key. */
export function keyOf({ flags, keys, keyEnds }: ItemColumns, index: number): string | undefined {
  if (((flags[index] ?? 0) & FLAG.key) === 0) return undefined;
  return keys.toString("utf8", index === 0 ? 0 : keyEnds[index - 1], keyEnds[index]);
}

/** Returns the extra properties of the item at this index; empty if the item has none. */
export function extraOf({ extras, extraEnds }: ItemColumns, index: number): Buffer {
  return extras.subarray(index === 0 ? 0 : extraEnds[index - 1], extraEnds[index]);
}
