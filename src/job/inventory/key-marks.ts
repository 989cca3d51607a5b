import { hash } from "node:crypto";

/**
 * A set of keys in NFC. Contains each key's mark (the first 64 bits of its SHA-256) once, in ascending order. The
 * probability that any two of 10,000,000 keys have the same mark is 3 in a million.
 */
export type KeyMarks = BigUint64Array;

/** Returns the set of these keys. Memory: at most 24 bytes per key. */
export async function marksOf(keys: AsyncIterable<{ readonly key: string }>): Promise<KeyMarks> {
  const pieces: BigUint64Array[] = [];
  let count = 0;
  for await (const { key } of keys) {
    const at = count % PIECE;
    if (at === 0) pieces.push(new BigUint64Array(PIECE));
    pieces.at(-1)?.fill(markOf(key), at, at + 1);
    count += 1;
  }
  const marks = new BigUint64Array(count);
  for (const [index, piece] of pieces.entries()) {
    const from = index * PIECE;
    marks.set(piece.subarray(0, count - from), from);
  }
  pieces.length = 0;
  const sorted = marks.toSorted();
  return marksWithout(sorted, (index) => index > 0 && sorted[index] === sorted[index - 1]);
}

/** Number of marks that are allocated together. */
const PIECE = 65_536;

/** Returns the position of a key in the set; undefined if the key is absent. */
export function indexOfKey(marks: KeyMarks, key: string): number | undefined {
  const mark = markOf(key);
  let [from, to] = [0, marks.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((marks[middle] ?? 0n) < mark) from = middle + 1;
    else to = middle;
  }
  return marks[from] === mark ? from : undefined;
}

/** Copies the set without the marks at the omitted positions. `filter` would allocate every mark on the heap. */
export function marksWithout(marks: KeyMarks, isOmitted: (index: number) => boolean): KeyMarks {
  let count = 0;
  for (let index = 0; index < marks.length; index += 1) if (!isOmitted(index)) count += 1;
  const copy = new BigUint64Array(count);
  let kept = 0;
  for (let index = 0; kept < count; index += 1) {
    if (isOmitted(index)) continue;
    copy[kept] = marks[index] ?? 0n;
    kept += 1;
  }
  return copy;
}

/**
 * Returns the mark of a key. Gets the hash as a string, because a buffer for each hash would take more memory than all
 * the marks.
 */
function markOf(key: string): bigint {
  return BigInt(`0x${hash("sha256", key).slice(0, 16)}`);
}
