import { TWO_TO_THE_32 } from "../../text/text-hash.ts";

type Marks = () => AsyncIterable<Float64Array>;

/**
 * Which marks come more than once, as a question of one mark; undefined: none does. Where very many do, it says yes of
 * others, too; it never says no of one that does.
 * @param marks all of them, batch by batch, each time it is called; NaN is none
 */
export async function findRepeatedMarks(marks: Marks, count: number): Promise<((mark: number) => boolean) | undefined> {
  const parts = Math.max(1, Math.ceil(count / MARKS_OF_PART));
  const bits = createBits((count / parts + 1) * BITS_OF_MARK);
  const repeated: (Float64Array | undefined)[] = [];
  let room = MOST_REPEATED;
  for (let part = 0; part < parts; part += 1) {
    const found = await repeatedOfPart(marks, { part, parts, bits });
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

/** So many marks are looked at together: 16 MB of bits. */
const MARKS_OF_PART = 3_000_000;
const BITS_OF_MARK = 16;
/** More repeated marks are not remembered one by one. */
const MOST_REPEATED = 1_000_000;

interface Part {
  readonly part: number;
  readonly parts: number;
  readonly bits: Bits;
}

function partOf(mark: number, parts: number): number {
  return parts === 1 ? 0 : ((mark / TWO_TO_THE_32) | 0) % parts;
}

/**
 * Sorted; undefined where they are too many. Each mark sets one of many bits. Those that find theirs set share it with
 * another mark, or with their own like: of these, far fewer, the marks are compared.
 */
async function repeatedOfPart(marks: Marks, { part, parts, bits }: Part): Promise<Float64Array | undefined> {
  bits.clear();
  const isOfPart = (mark: number): boolean => !Number.isNaN(mark) && partOf(mark, parts) === part;
  for await (const batch of marks()) for (const mark of batch) if (isOfPart(mark)) bits.set(mark);
  if (!bits.areShared()) return new Float64Array();
  const sharing: number[] = [];
  for await (const batch of marks()) {
    for (const mark of batch) if (isOfPart(mark) && bits.isShared(mark)) sharing.push(mark);
    if (sharing.length > MOST_REPEATED) return undefined;
  }
  const sorted = Float64Array.from(sharing).toSorted();
  return sorted.filter((mark, index) => mark === sorted[index - 1]);
}

/** Many bits, of which each mark sets one. */
interface Bits {
  readonly clear: () => void;
  readonly set: (mark: number) => void;
  /** Whether any bit was set twice. */
  readonly areShared: () => boolean;
  /** Whether the mark's bit was set twice. */
  readonly isShared: (mark: number) => boolean;
}

function createBits(least: number): Bits {
  const last = 2 ** Math.ceil(Math.log2(least + 32)) - 1;
  const once = new Uint32Array((last + 1) / 32);
  const again = new Uint32Array((last + 1) / 32);
  let areShared = false;
  return {
    clear() {
      once.fill(0);
      again.fill(0);
      areShared = false;
    },
    set(mark) {
      const slot = mark & last;
      const [word, bit] = [slot >>> 5, 1 << (slot & 31)];
      const before = once[word] ?? 0;
      once[word] = before | bit;
      if ((before & bit) === 0) return;
      again[word] = (again[word] ?? 0) | bit;
      areShared = true;
    },
    areShared: () => areShared,
    isShared(mark) {
      const slot = mark & last;
      return ((again[slot >>> 5] ?? 0) & (1 << (slot & 31))) !== 0;
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
