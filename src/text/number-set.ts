/** A set of integers from 0 to 2^32 - 1, stored as one bit each, so that millions of numbers need little memory. */
export interface NumberSet {
  /** Returns false if the set already contains the number. */
  readonly add: (number: number) => boolean;
  readonly has: (number: number) => boolean;
  readonly size: () => number;
}

export function createNumberSet(): NumberSet {
  let bits = new Uint8Array(MIN_BYTES);
  let size = 0;
  const has = (number: number): boolean => (((bits[number >>> 3] ?? 0) >> (number & 7)) & 1) === 1;
  return {
    has,
    size: () => size,
    add: (number) => {
      if (has(number)) return false;
      const at = number >>> 3;
      if (at >= bits.length) {
        const wider = new Uint8Array(2 * at);
        wider.set(bits);
        bits = wider;
      }
      bits[at] = (bits[at] ?? 0) | (1 << (number & 7));
      size += 1;
      return true;
    },
  };
}

const MIN_BYTES = 1024;

/** Whether numbers in ascending order include a number. */
export function isInSorted(sorted: ArrayLike<number>, number: number): boolean {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? 0) < number) from = middle + 1;
    else to = middle;
  }
  return sorted[from] === number;
}
