import { hash } from "node:crypto";

/**
 * A set of business keys in 16 to 32 bytes per key. It stores 64 bits of the SHA-256 of each key: for a million keys,
 * the probability that the set contains a key that was not added is below 1 in 10 million.
 */
export interface KeySet {
  /** Returns false if the set contains the key already. */
  readonly add: (key: string) => boolean;
  readonly has: (key: string) => boolean;
}

export function createKeySet(): KeySet {
  let slots = new BigUint64Array(1024);
  let used = 0;
  const placeOf = (fingerprint: bigint): number => {
    const mask = slots.length - 1;
    let at = Number(fingerprint & 0xffffffffn) & mask;
    while (slots[at] !== 0n && slots[at] !== fingerprint) at = (at + 1) & mask;
    return at;
  };
  const grow = (): void => {
    const before = slots;
    slots = new BigUint64Array(before.length * 2);
    for (const fingerprint of before) if (fingerprint !== 0n) slots[placeOf(fingerprint)] = fingerprint;
  };
  return {
    add(key) {
      const fingerprint = fingerprintOf(key);
      const at = placeOf(fingerprint);
      if (slots[at] === fingerprint) return false;
      slots[at] = fingerprint;
      used += 1;
      if (used * 2 > slots.length) grow();
      return true;
    },
    has: (key) => {
      const fingerprint = fingerprintOf(key);
      return slots[placeOf(fingerprint)] === fingerprint;
    },
  };
}

/** The fingerprint of a key. It is never 0, because 0 represents an empty slot. */
function fingerprintOf(key: string): bigint {
  return hash("sha256", key.normalize("NFC"), "buffer").readBigUInt64LE() || 1n;
}
