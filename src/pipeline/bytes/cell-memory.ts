/**
 * Cache of cells of one column, keyed by their bytes. Contains recent short cells, because codes, dates and amounts
 * repeat often.
 */
export interface CellMemory {
  /** Slot of the remembered cell, or -1. */
  readonly find: (bytes: Uint8Array, from: number, to: number) => number;
  readonly madeAt: (slot: number) => number;
  /** Remembers the cell of the last `find`. Returns its slot, or -1. */
  readonly keep: (made: number) => number;
}

/** A power of two. Unused slots take no memory. */
export const SLOTS = 16_384;
/** Layout of a slot: one byte with the length of the cell plus 1, then the cell. */
const SLOT_BYTES = 32;

export function createCellMemory(): CellMemory {
  const cells = new Uint8Array(SLOTS * SLOT_BYTES);
  const made = new Uint8Array(SLOTS);
  let slot = -1;
  let cell: Uint8Array = cells;
  let [start, length] = [0, 0];

  return {
    find(bytes, from, to) {
      [cell, start, length] = [bytes, from, to - from];
      slot = length < SLOT_BYTES ? slotOf(bytes, from, to) : -1;
      if (slot < 0) return -1;
      const first = slot * SLOT_BYTES;
      if (cells[first] !== length + 1) return -1;
      const shift = first + 1 - from;
      for (let at = from; at < to; at += 1) if (cells[at + shift] !== bytes[at]) return -1;
      return slot;
    },
    madeAt: (at) => made[at] ?? 0,
    keep(count) {
      if (slot < 0) return slot;
      made[slot] = count;
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
