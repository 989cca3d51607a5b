import { HASH_BYTES } from "../records/record-hashes.ts";

/**
 * Rows in the packed format in which threads exchange them: one buffer of numbers, one buffer of hashes, and a list of
 * strings. Copying rows as objects would take longer than packing them.
 */
export interface PackedRows {
  /**
   * All rows have the same number of values. The packer chooses this number. A missing value is `NaN`. A string is
   * represented by its position in `texts`.
   */
  readonly numbers: Float64Array;
  /** All rows have the same number of hashes (SHA-256, 32 bytes each). The packer chooses this number. */
  readonly hashes: Uint8Array;
  readonly texts: readonly string[];
}

export interface RowPacker {
  /** Returns the position of a string. Equal strings share one position. */
  readonly text: (text: string | undefined) => number;
  readonly add: (numbers: readonly number[], hashes: readonly Uint8Array[]) => void;
  readonly packed: () => PackedRows;
}

export const NO_NUMBER: number = Number.NaN;

export function createRowPacker(
  rows: number,
  perRow: { readonly numbers: number; readonly hashes: number },
): RowPacker {
  const numbers = new Float64Array(rows * perRow.numbers);
  const hashes = new Uint8Array(rows * perRow.hashes * HASH_BYTES);
  const texts = new Map<string, number>();
  let numbersEnd = 0;
  let hashesEnd = 0;
  return {
    text(text) {
      if (text === undefined) return NO_NUMBER;
      const position = texts.get(text) ?? texts.size;
      texts.set(text, position);
      return position;
    },
    add(row, rowHashes) {
      numbers.set(row, numbersEnd);
      numbersEnd += perRow.numbers;
      for (const hash of rowHashes) {
        if (hash.length !== HASH_BYTES) throw new Error(`A hash has ${HASH_BYTES} bytes, not ${hash.length}.`);
        hashes.set(hash, hashesEnd);
        hashesEnd += HASH_BYTES;
      }
    },
    packed: () => ({ numbers, hashes, texts: [...texts.keys()] }),
  };
}

export interface RowReader {
  /** Returns undefined if the row has no value in this column. */
  readonly number: (column: number) => number | undefined;
  readonly flag: (column: number) => boolean | undefined;
  readonly text: (column: number) => string | undefined;
  readonly hash: (column: number) => Uint8Array;
}

export function unpackRows<Row>(
  { numbers, hashes, texts }: PackedRows,
  perRow: { readonly numbers: number; readonly hashes: number },
  unpack: (row: RowReader) => Row,
): readonly Row[] {
  let row = 0;
  const number = (column: number): number | undefined => {
    const found = numbers[row * perRow.numbers + column];
    return found === undefined || Number.isNaN(found) ? undefined : found;
  };
  const reader: RowReader = {
    number,
    flag(column) {
      const found = number(column);
      return found === undefined ? undefined : found === 1;
    },
    text(column) {
      const position = number(column);
      return position === undefined ? undefined : texts[position];
    },
    hash(column) {
      const at = (row * perRow.hashes + column) * HASH_BYTES;
      return hashes.subarray(at, at + HASH_BYTES);
    },
  };
  return Array.from({ length: numbers.length / perRow.numbers }, (_, index) => {
    row = index;
    return unpack(reader);
  });
}

export function isPackedRows(value: unknown): value is PackedRows {
  return typeof value === "object" && value !== null && "numbers" in value && "hashes" in value;
}

/** Returns the buffers that can be transferred instead of copied. */
export function piecesOf(...packed: readonly PackedRows[]): readonly ArrayBuffer[] {
  return packed.flatMap(({ numbers, hashes }) => [numbers.buffer, hashes.buffer]).filter(isArrayBuffer);
}

function isArrayBuffer(buffer: ArrayBufferLike): buffer is ArrayBuffer {
  return buffer instanceof ArrayBuffer;
}
