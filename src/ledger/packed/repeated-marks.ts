import { HASH_RANGE, TWO_TO_THE_32 } from "../../text/text-hash.ts";

type Marks = () => AsyncIterable<Float64Array>;

/**
 * Which marks come more than once, as a question of one mark; undefined: none does. Where very many do, it says yes of
 * others, too; it never says no of one that does.
 * @param marks all of them, batch by batch, each time it is called; NaN is none
 */
export async function findRepeatedMarks(marks: Marks, count: number): Promise<((mark: number) => boolean) | undefined> {
  const parts = Math.max(1, Math.ceil(count / MARKS_OF_PART));
  const buckets = createBuckets(Math.ceil(count / parts));
  const repeated: (Float64Array | undefined)[] = [];
  let room = MOST_REPEATED;
  for (let part = 0; part < parts; part += 1) {
    buckets.clear();
    for await (const batch of marks()) for (const mark of batch) if (partOf(mark, parts) === part) buckets.add(mark);
    const found = repeatedIn(buckets);
    const fits = found !== undefined && found.length <= room;
    if (fits) room -= found.length;
    repeated.push(fits ? found : undefined);
  }
  if (repeated.every((found) => found?.length === 0)) return undefined;
  return (mark) => {
    if (Number.isNaN(mark)) return false;
    const found = repeated[partOf(mark, parts)];
    return found === undefined || includes(found, mark);
  };
}

/** So many marks are looked at together: 24 MB, and room to grow. */
const MARKS_OF_PART = 3_000_000;
/** More repeated marks are not remembered one by one. */
const MOST_REPEATED = 1_000_000;

/** -1: it is none. */
function partOf(mark: number, parts: number): number {
  if (Number.isNaN(mark)) return -1;
  return parts === 1 ? 0 : ((mark / TWO_TO_THE_32) | 0) % parts;
}

/** Marks that were put where those like them are: so few in each place that what is noted of them fits a processor's cache. */
interface Buckets {
  readonly add: (mark: number) => void;
  readonly clear: () => void;
  readonly all: () => readonly Float64Array[];
}

/** By the highest of a mark's bits. */
const BUCKET_BITS = 6;
const BUCKET_RANGE = HASH_RANGE / 2 ** BUCKET_BITS;

/** @param expected how many marks there will be, about */
function createBuckets(expected: number): Buckets {
  const room = Math.ceil((1.1 * expected) / 2 ** BUCKET_BITS) + 64;
  const lists = Array.from({ length: 2 ** BUCKET_BITS }, () => new Float64Array(room));
  const counts = new Int32Array(lists.length);

  function widened(bucket: number, list: Float64Array): Float64Array {
    const wider = new Float64Array(2 * list.length);
    wider.set(list);
    lists[bucket] = wider;
    return wider;
  }

  return {
    add(mark) {
      const bucket = (mark / BUCKET_RANGE) | 0;
      const list = lists[bucket];
      const count = counts[bucket] ?? 0;
      if (list === undefined) throw new Error(`The mark ${mark} is out of range.`);
      (count === list.length ? widened(bucket, list) : list)[count] = mark;
      counts[bucket] = count + 1;
    },
    clear: () => counts.fill(0),
    all: () => lists.map((list, bucket) => list.subarray(0, counts[bucket])),
  };
}

/** Sorted; undefined where they are too many. */
function repeatedIn(buckets: Buckets): Float64Array | undefined {
  const all = buckets.all();
  const bits = createBits(Math.max(...all.map(({ length }) => length)));
  const found: Float64Array[] = [];
  let count = 0;
  for (const marks of all) {
    const sharing = bits.sharing(marks);
    if (sharing.length > MOST_REPEATED) return undefined;
    sharing.sort();
    const repeated = sharing.filter((mark, index) => mark === sharing[index - 1]);
    count += repeated.length;
    if (count > MOST_REPEATED) return undefined;
    found.push(repeated);
  }
  // The buckets come in the order of their marks.
  return Float64Array.from(found.flatMap((marks) => [...marks]));
}

/** Many bits, of which each mark sets one. */
interface Bits {
  /** The marks that share their bit with another one, or with their own like: far fewer, unless many come again. */
  readonly sharing: (marks: Float64Array) => Float64Array;
}

const BITS_OF_MARK = 16;

function createBits(mostMarks: number): Bits {
  const last = 2 ** Math.ceil(Math.log2(mostMarks * BITS_OF_MARK + 32)) - 1;
  const once = new Uint32Array((last + 1) / 32);
  const again = new Uint32Array((last + 1) / 32);
  return {
    sharing(marks) {
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
    },
  };
}

/** Whether a sorted list holds the mark. */
function includes(sorted: Float64Array, mark: number): boolean {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? 0) < mark) from = middle + 1;
    else to = middle;
  }
  return sorted[from] === mark;
}
