import type { Row } from "../model/record.ts";

/** Which rows of one file were seen, by their numbers: a bit a row, so that millions take little. */
export interface RowMarks {
  /** False: it was marked before. */
  readonly mark: (number: number) => boolean;
  readonly has: (number: number) => boolean;
}

export function createRowMarks(): RowMarks {
  let bits = new Uint8Array(1024);
  const has = (number: number): boolean => ((bits[Math.floor(number / 8)] ?? 0) & (1 << (number % 8))) !== 0;
  return {
    has,
    mark: (number) => {
      if (has(number)) return false;
      const at = Math.floor(number / 8);
      if (at >= bits.length) {
        const larger = new Uint8Array(Math.max(at + 1, bits.length * 2));
        larger.set(bits);
        bits = larger;
      }
      bits[at] = (bits[at] ?? 0) | (1 << (number % 8));
      return true;
    },
  };
}

/** No two rows of a file have the same: CSV and NDJSON rows begin on lines of their own, others have an index. */
export function rowNumber(row: Row): number {
  if (row.table.kind === "csv" || !("pointer" in row)) return row.line;
  const index = /\/(\d{1,9})$/.exec(row.pointer)?.[1];
  return index === undefined ? row.line : Number(index);
}

/** A row with all that is joined to it, depth first. */
export function* rowsOf(source: string, row: Row): Generator<{ readonly source: string; readonly row: Row }> {
  yield { source, row };
  for (const [name, children] of row.children ?? []) for (const child of children) yield* rowsOf(name, child);
}
