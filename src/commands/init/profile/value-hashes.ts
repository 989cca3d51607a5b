import { closeSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { HASH_RANGE, textHash } from "../../../text/text-hash.ts";

/**
 * The values of one column as 52-bit hashes, first in memory, then in a private file. About one in 9,000 columns with a
 * million values contains two different values with the same hash. A column that is reported as unique is certainly
 * unique.
 */
export interface ValueHashes {
  readonly add: (value: string) => void;
  readonly count: () => number;
  /** Returns the sorted hashes in a part of their range. `from` and `to` are between 0 and 1. */
  readonly sorted: (from: number, to: number) => Float64Array;
  /** Deletes the file. */
  readonly close: () => void;
}

const HASH_SEED = 0x13198a2e;
/** Number of hashes per column in memory (256 KB). Further hashes go to a file. */
const HASHES_IN_MEMORY = 2 ** 15;

/** @param path path of a file to create once memory is full; its folder must exist */
export function createValueHashes(path: string): ValueHashes {
  let block = new Float64Array(FIRST_BLOCK);
  let inBlock = 0;
  let inFile = 0;
  let file: number | undefined;

  function makeRoom(): void {
    if (block.length < HASHES_IN_MEMORY) {
      const larger = new Float64Array(block.length * 4);
      larger.set(block);
      block = larger;
      return;
    }
    file ??= openSync(path, "wx+", 0o600);
    writeSync(file, new Uint8Array(block.buffer));
    inFile += inBlock;
    inBlock = 0;
  }

  return {
    add(value) {
      if (inBlock === block.length) makeRoom();
      block[inBlock] = textHash(value, HASH_SEED);
      inBlock += 1;
    },
    count: () => inFile + inBlock,
    sorted(from, to) {
      // The system provides memory only for the pages that are written, so the array costs little even if the part
      // contains few of the hashes.
      const found = new Float64Array(inFile + inBlock);
      let size = 0;
      const take = (hashes: Float64Array): void => {
        for (const hash of hashes) {
          if (hash < from * HASH_RANGE || hash >= to * HASH_RANGE) continue;
          found[size] = hash;
          size += 1;
        }
      };
      if (file !== undefined) for (const hashes of blocksOf(file)) take(hashes);
      take(block.subarray(0, inBlock));
      return found.subarray(0, size).toSorted();
    },
    close() {
      if (file === undefined) return;
      closeSync(file);
      rmSync(path, { force: true });
      file = undefined;
    },
  };
}

const FIRST_BLOCK = 2 ** 9;

function* blocksOf(file: number): Generator<Float64Array> {
  const block = new Float64Array(HASHES_IN_MEMORY);
  const bytes = new Uint8Array(block.buffer);
  for (let position = 0; ; position += bytes.length) {
    const read = readSync(file, bytes, 0, bytes.length, position);
    if (read > 0) yield block.subarray(0, read / Float64Array.BYTES_PER_ELEMENT);
    if (read < bytes.length) return;
  }
}

/** Maximum number of hashes that are sorted at once, about 8 MB. */
const HASHES_AT_ONCE = 2 ** 20;

/** Yields the parts of a range into which columns are split, so that one part of each column fits into memory. */
function* partsFor(...columns: readonly ValueHashes[]): Generator<readonly [from: number, to: number]> {
  const parts = Math.ceil(Math.max(1, ...columns.map((hashes) => hashes.count())) / HASHES_AT_ONCE);
  for (let part = 0; part < parts; part += 1) yield [part / parts, (part + 1) / parts];
}

export function distinctCount(hashes: ValueHashes): number {
  let distinct = 0;
  for (const range of partsFor(hashes)) {
    const sorted = hashes.sorted(...range);
    for (let at = 0; at < sorted.length; at += 1) if (at === 0 || sorted[at] !== sorted[at - 1]) distinct += 1;
  }
  return distinct;
}

/** Minimum share of hits. If the share so far is lower, the remaining parts are not read. */
const MIN_HIT_SHARE = 0.2;

/**
 * Returns the share of a column's values that also occur in another column, counting every cell. For long columns with
 * few matches, the result is an estimate from some of the values.
 */
export function shareFound(values: ValueHashes, among: ValueHashes): number {
  let found = 0;
  let compared = 0;
  for (const range of partsFor(values, among)) {
    const wanted = values.sorted(...range);
    found += countShared(wanted, among.sorted(...range));
    compared += wanted.length;
    if (compared > 0 && found / compared < MIN_HIT_SHARE) break;
  }
  return compared === 0 ? 0 : found / compared;
}

function countShared(wanted: Float64Array, among: Float64Array): number {
  let found = 0;
  let at = 0;
  for (const hash of wanted) {
    while (at < among.length && (among[at] ?? 0) < hash) at += 1;
    if (at < among.length && among[at] === hash) found += 1;
  }
  return found;
}
