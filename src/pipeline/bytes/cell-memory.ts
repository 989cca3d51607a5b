/**
 * A cache of the short cells of one column, keyed by their bytes. Codes, dates and amounts repeat often, so most cells
 * of such columns are not encoded again. If the cells of a column rarely repeat, its cache switches itself off.
 */
export interface CellMemory {
  /** Returns the slot of an equal cell; -1 if the cache contains none. */
  readonly find: (bytes: Uint8Array, from: number, to: number) => number;
  /** Returns the number of values that `keep` stored in the slot. */
  readonly valueCountAt: (slot: number) => number;
  /**
   * Stores the cell of the last `find` with the number of values that it produced. Returns its slot, or -1 if the cell
   * is too long or the cache is switched off.
   */
  readonly keep: (valueCount: number) => number;
}

/** A power of two, because slots are selected by a bit mask of the hash. */
export const SLOTS = 16_384;
/** The cache stays on if at least this share of the first `SLOTS` lookups are hits. */
const USEFUL_SHARE = 1 / 8;
/** A slot contains one byte with the cell's length plus 1 (0 means unused), followed by the cell. */
const SLOT_BYTES = 32;

export function createCellMemory(): CellMemory {
  const cells = new Uint8Array(SLOTS * SLOT_BYTES);
  const valueCounts = new Uint8Array(SLOTS);
  let slot = -1;
  let cell: Uint8Array = cells;
  let [start, length] = [0, 0];
  let [finds, hits] = [0, 0];

  return {
    find(bytes, from, to) {
      [cell, start, length] = [bytes, from, to - from];
      const isUseful = finds < SLOTS || hits >= SLOTS * USEFUL_SHARE;
      slot = isUseful && length < SLOT_BYTES ? slotOf(bytes, from, to) : -1;
      if (finds < SLOTS) finds += 1;
      if (slot < 0) return -1;
      const first = slot * SLOT_BYTES;
      if (cells[first] !== length + 1) return -1;
      const shift = first + 1 - from;
      for (let at = from; at < to; at += 1) if (cells[at + shift] !== bytes[at]) return -1;
      if (finds < SLOTS) hits += 1;
      return slot;
    },
    valueCountAt: (at) => valueCounts[at] ?? 0,
    keep(valueCount) {
      if (slot < 0) return slot;
      valueCounts[slot] = valueCount;
      cells[slot * SLOT_BYTES] = length + 1;
      cells.set(cell.subarray(start, start + length), slot * SLOT_BYTES + 1);
      return slot;
    },
  };
}

function slotOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x243f6a88;
  for (let at = from; at < to; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x9e3779b1);
  return ((hash ^ (hash >>> 15)) >>> 0) & (SLOTS - 1);
}
