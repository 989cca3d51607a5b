import { hash } from "node:crypto";

/**
 * A set of business keys in 16 to 32 bytes per key. It stores 64 bits of the SHA-256 of each key: for a million keys,
 * the probability that it contains a key that was not added is below 1 in 10 million.
 */
export interface KeySet {
  /** Returns false if the set contains the key already. */
  readonly add: (key: string) => boolean;
  readonly has: (key: string) => boolean;
}

export function createKeySet(): KeySet {
  let slots = new BigUint64Array(1024);
  let used = 0;
  const placeOf = (mark: bigint): number => {
    const mask = slots.length - 1;
    let at = Number(mark & 0xffffffffn) & mask;
    while (slots[at] !== 0n && slots[at] !== mark) at = (at + 1) & mask;
    return at;
  };
  const grow = (): void => {
    const before = slots;
    slots = new BigUint64Array(before.length * 2);
    for (const mark of before) if (mark !== 0n) slots[placeOf(mark)] = mark;
  };
  return {
    add(key) {
      const mark = markOf(key);
      const at = placeOf(mark);
      if (slots[at] === mark) return false;
      slots[at] = mark;
      used += 1;
      if (used * 2 > slots.length) grow();
      return true;
    },
    has: (key) => {
      const mark = markOf(key);
      return slots[placeOf(mark)] === mark;
    },
  };
}

/** The mark of a key. It is never 0, because 0 represents an empty slot. */
function markOf(key: string): bigint {
  return hash("sha256", key.normalize("NFC"), "buffer").readBigUInt64LE() || 1n;
}
