import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { HASH_RANGE } from "../../text/text-hash.ts";
import type { PieceStore } from "./spool/piece-store.ts";
import { isInSorted } from "../../text/number-set.ts";

/**
 * Sorts marks into buckets as they arrive. Buckets are small enough for the bits of their marks to fit into the
 * processor's cache. Full blocks are stored with the other pieces of the plan.
 */
export interface MarkList {
  /** Ignores NaN. */
  readonly add: (marks: Float64Array) => void;
  /**
   * Returns a function that tests whether a mark occurs more than once; undefined if no mark occurs more than once. If
   * very many marks are repeated, the function may also return true for other marks, but it never returns false for a
   * repeated mark.
   */
  readonly findRepeated: () => Promise<((mark: number) => boolean) | undefined>;
}

/** Buckets are selected by the highest bits of a mark. */
const BUCKETS = 64;
const BUCKET_RANGE = HASH_RANGE / BUCKETS;
/** Number of marks in a bucket's first block. The first block is small, because most plans are small. */
const FIRST_BLOCK = 64;
/** Number of marks in a full block. One full block for each bucket takes 2 MB in total. */
const FULL_BLOCK = 4096;

/** Maximum number of repeated marks that are stored individually. */
const MAX_REPEATED = 1_000_000;

export function createMarkList(pieces: PieceStore): MarkList {
  const blocks = Array.from({ length: BUCKETS }, () => new Float64Array(FIRST_BLOCK));
  const counts = new Int32Array(BUCKETS);
  const full: number[][] = blocks.map(() => []);

  /** Makes room in a bucket whose block is full. */
  function nextBlock(bucket: number, block: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
    const isFull = block.length === FULL_BLOCK;
    const next = new Float64Array(Math.min(4 * block.length, FULL_BLOCK));
    if (isFull) full[bucket]?.push(pieces.add(block.buffer));
    else next.set(block);
    counts[bucket] = isFull ? 0 : block.length;
    blocks[bucket] = next;
    return next;
  }

  function countOf(bucket: number): number {
    return (full[bucket]?.length ?? 0) * FULL_BLOCK + (counts[bucket] ?? 0);
  }

  function marksOf(bucket: number): Float64Array {
    const marks = new Float64Array(countOf(bucket));
    let at = 0;
    for (const piece of full[bucket] ?? []) {
      marks.set(new Float64Array(pieces.read(piece)), at);
      at += FULL_BLOCK;
    }
    marks.set(blocks[bucket]?.subarray(0, counts[bucket]) ?? [], at);
    return marks;
  }

  return {
    add(marks) {
      for (const mark of marks) {
        if (Number.isNaN(mark)) continue;
        const bucket = bucketOf(mark);
        let block = blocks[bucket];
        if (block === undefined) throw new Error(`The mark ${mark} is out of range.`);
        if (counts[bucket] === block.length) block = nextBlock(bucket, block);
        const count = counts[bucket] ?? 0;
        block[count] = mark;
        counts[bucket] = count + 1;
      }
    },
    findRepeated: () => findRepeated(Math.max(...blocks.map((_, bucket) => countOf(bucket))), marksOf),
  };
}

function bucketOf(mark: number): number {
  return (mark / BUCKET_RANGE) | 0;
}

/** @param largest number of marks in the largest bucket */
async function findRepeated(
  largest: number,
  marksOf: (bucket: number) => Float64Array,
): Promise<((mark: number) => boolean) | undefined> {
  const sharing = sharedBits(largest);
  const repeated: (Float64Array | undefined)[] = [];
  let room = MAX_REPEATED;
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
    await yieldToEventLoop();
    const found = repeatedIn(sharing(marksOf(bucket)), room);
    room -= found?.length ?? 0;
    repeated.push(found);
  }
  if (repeated.every((found) => found?.length === 0)) return undefined;
  return (mark) => {
    if (Number.isNaN(mark)) return false;
    const found = repeated[bucketOf(mark)];
    return found === undefined || isInSorted(found, mark);
  };
}

/**
 * Returns the marks that occur more than once, sorted. Returns undefined if there are more than `limit` such marks, or
 * too many candidates to sort.
 */
function repeatedIn(sharing: Float64Array, limit: number): Float64Array | undefined {
  // Sorting more marks would take too long.
  if (sharing.length > 2 * MAX_REPEATED) return undefined;
  sharing.sort();
  const repeated = sharing.filter((mark, index) => mark === sharing[index - 1]);
  return repeated.length > limit ? undefined : repeated;
}

const BITS_OF_MARK = 16;

/**
 * Creates a set of bits, in which each mark sets one bit. The returned function returns the marks that share their bit
 * with another mark, whether equal or different. It returns few marks unless many marks are repeated.
 */
function sharedBits(maxMarks: number): (marks: Float64Array) => Float64Array {
  const last = 2 ** Math.ceil(Math.log2(maxMarks * BITS_OF_MARK + 32)) - 1;
  const once = new Uint32Array((last + 1) / 32);
  const again = new Uint32Array((last + 1) / 32);
  return (marks) => {
    once.fill(0);
    again.fill(0);
    for (const mark of marks) {
      const slot = mark & last;
      const [word, bit] = [slot >>> 5, 1 << (slot & 31)];
      const before = once[word] ?? 0;
      once[word] = before | bit;
      if ((before & bit) !== 0) again[word] = (again[word] ?? 0) | bit;
    }
    return marks.filter((mark) => ((again[(mark & last) >>> 5] ?? 0) & (1 << (mark & 31))) !== 0);
  };
}
