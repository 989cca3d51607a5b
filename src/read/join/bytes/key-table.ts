/** An index of records by the bytes of their keys, without false matches. Records are numbered from 0. */
export interface KeyTable {
  readonly count: () => number;
  /** Adds the next record; `start` is -1 if it has no key. */
  readonly add: (bytes: Uint8Array, start: number, end: number) => void;
  /** Returns a record with this key; -1 if there is none. */
  readonly find: (bytes: Uint8Array, start: number, end: number) => number;
  /** Returns another record with the same key; -1 if there are no more. */
  readonly next: (record: number) => number;
  /** Returns the approximate memory use in bytes. */
  readonly memoryBytes: () => number;
}

const FIRST_ROOM = 4096;

export function createKeyTable(): KeyTable {
  const keys = createKeyList();
  let [hashes, ends, others] = [new Int32Array(FIRST_ROOM), new Uint32Array(FIRST_ROOM), new Int32Array(FIRST_ROOM)];
  /**
   * Maps the slot of a key, derived from the hash of the key, to the number of the last record with this key, plus 1. A
   * free slot contains 0.
   */
  let slots = new Int32Array(4 * FIRST_ROOM);
  let count = 0;

  function grow(): void {
    hashes = wider(hashes, new Int32Array(2 * count));
    others = wider(others, new Int32Array(2 * count));
    ends = wider(ends, new Uint32Array(2 * count));
    const before = slots;
    slots = new Int32Array(2 * before.length);
    for (const held of before) if (held > 0) slots[freeSlot(hashes[held - 1] ?? 0)] = held;
  }

  function freeSlot(hash: number): number {
    const last = slots.length - 1;
    let slot = hash & last;
    while ((slots[slot] ?? 0) > 0) slot = (slot + 1) & last;
    return slot;
  }

  /** Returns the slot of a record with this key, or a free slot for the key. */
  function slotOf(hash: number, bytes: Uint8Array, start: number, end: number): number {
    const last = slots.length - 1;
    for (let slot = hash & last; ; slot = (slot + 1) & last) {
      const record = (slots[slot] ?? 0) - 1;
      if (record < 0) return slot;
      if (hashes[record] !== hash) continue;
      const first = record === 0 ? 0 : (ends[record - 1] ?? 0);
      if ((ends[record] ?? 0) - first === end - start && keys.hasAt(first, bytes, start, end)) return slot;
    }
  }

  return {
    count: () => count,
    add(bytes, start, end) {
      if (count === hashes.length) grow();
      others[count] = -1;
      if (start >= 0) {
        const hash = hashOf(bytes, start, end);
        const slot = slotOf(hash, bytes, start, end);
        others[count] = (slots[slot] ?? 0) - 1;
        slots[slot] = count + 1;
        hashes[count] = hash;
        keys.add(bytes, start, end);
      }
      ends[count] = keys.length();
      count += 1;
    },
    find: (bytes, start, end) => (slots[slotOf(hashOf(bytes, start, end), bytes, start, end)] ?? 0) - 1,
    next: (record) => others[record] ?? -1,
    memoryBytes: () => keys.memoryBytes() + 12 * hashes.length + 4 * slots.length,
  };
}

function wider<T extends Int32Array | Uint32Array | Uint8Array>(narrow: T, wide: T): T {
  wide.set(narrow);
  return wide;
}

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x243f6a88;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}

function createKeyList() {
  let memory = new Uint8Array(16 * FIRST_ROOM);
  let length = 0;
  return {
    length: (): number => length,
    add(bytes: Uint8Array, start: number, end: number): void {
      const needed = length + end - start;
      if (needed > memory.length) memory = wider(memory, new Uint8Array(Math.max(needed, 2 * memory.length)));
      const shift = length - start;
      for (let at = start; at < end; at += 1) memory[at + shift] = bytes[at] ?? 0;
      length = needed;
    },
    /** Whether the list contains the bytes from `start` to `end` at position `place`. */
    hasAt(place: number, bytes: Uint8Array, start: number, end: number): boolean {
      const shift = place - start;
      for (let at = start; at < end; at += 1) if (memory[at + shift] !== bytes[at]) return false;
      return true;
    },
    memoryBytes: (): number => memory.length,
  };
}
