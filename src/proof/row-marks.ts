import type { Row } from "../model/record.ts";

/** The set of row numbers seen in one file. It takes one bit per row, so millions of rows need little memory. */
export interface RowMarks {
  /** Returns false if the row was already marked. */
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

/** A number that is unique in its file: the line of a CSV or NDJSON row, the index of any other row. */
export function rowNumber(row: Row): number {
  if (row.table.kind === "csv" || !("pointer" in row)) return row.line;
  const index = /\/(\d{1,9})$/.exec(row.pointer)?.[1];
  return index === undefined ? row.line : Number(index);
}

/** A row and all rows joined to it, depth first. */
export function* rowsOf(source: string, row: Row): Generator<{ readonly source: string; readonly row: Row }> {
  yield { source, row };
  for (const [name, children] of row.children ?? []) for (const child of children) yield* rowsOf(name, child);
}
