import type { RecordBoundaries } from "./record-boundaries.ts";

export const RECORD_FLAG = { quoted: 1, strayQuote: 2, control: 4 } as const;

/** Returns the bits of `RECORD_FLAG` for each record. */
export function recordFlags({ starts, quoted, strayQuotes, controls }: RecordBoundaries): Uint8Array {
  const flags = new Uint8Array(starts.length);
  const set = (numbers: Iterable<number>, flag: number): void => {
    for (const number of numbers) flags[number] = (flags[number] ?? 0) | flag;
  };
  set(quoted, RECORD_FLAG.quoted);
  set(strayQuotes, RECORD_FLAG.strayQuote);
  set(controls, RECORD_FLAG.control);
  return flags;
}
