import { textMark } from "../model/text-mark.ts";

/** Remembers the keys it was given by 52-bit marks, to say cheaply that none of them came twice. */
export interface KeyMarks {
  readonly add: (key: string) => void;
  /** False only when no key came twice; true also when two keys share a mark, or too many came to remember. */
  readonly mayRepeat: () => boolean;
}

/** 32 MB of marks; of more keys the disk is the better place to sort them. */
const MOST_KEYS = 4_000_000;
const CHUNK = 2 ** 13;
const START = 0x243f6a88;

export function createKeyMarks(mostKeys: number = MOST_KEYS): KeyMarks {
  const chunks: Float64Array[] = [];
  let count = 0;

  function sorted(): Float64Array {
    const marks = new Float64Array(count);
    for (const [index, chunk] of chunks.entries()) marks.set(chunk.subarray(0, count - index * CHUNK), index * CHUNK);
    return marks.toSorted();
  }

  return {
    add(key) {
      const at = count % CHUNK;
      count += 1;
      if (count > mostKeys) chunks.length = 0;
      else {
        if (at === 0) chunks.push(new Float64Array(CHUNK));
        const chunk = chunks.at(-1);
        if (chunk !== undefined) chunk[at] = textMark(key, START);
      }
    },
    mayRepeat() {
      if (count > mostKeys) return true;
      const marks = sorted();
      return marks.some((mark, index) => mark === marks[index - 1]);
    },
  };
}
