import { hash } from "node:crypto";

/** Marks of keys in ascending order, each once. */
export type KeyMarks = BigUint64Array;

/** Identifies a key in 64 bits. Among 10,000,000 keys, two have the same mark with a probability of 3 in a million. */
function keyMark(key: string): bigint {
  return hash("sha256", key.normalize("NFC"), "buffer").readBigUInt64LE();
}

export async function marksOf(keys: AsyncIterable<{ readonly key: string }>): Promise<KeyMarks> {
  let marks = new BigUint64Array(1024);
  let count = 0;
  for await (const { key } of keys) {
    if (count === marks.length) {
      const larger = new BigUint64Array(2 * count);
      larger.set(marks);
      marks = larger;
    }
    marks[count] = keyMark(key);
    count += 1;
  }
  return marks
    .subarray(0, count)
    .toSorted()
    .filter((mark, index, sorted) => index === 0 || mark !== sorted[index - 1]);
}

/** The position of a key in the list; undefined if it is absent. */
export function indexOfKey(marks: KeyMarks, key: string): number | undefined {
  const mark = keyMark(key);
  let [from, to] = [0, marks.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((marks[middle] ?? 0n) < mark) from = middle + 1;
    else to = middle;
  }
  return marks[from] === mark ? from : undefined;
}
