import { type CsvTable, isCsvRow, type Row } from "../../model/record.ts";
import { mixHash, textHash, TWO_TO_THE_32 } from "../../text/text-hash.ts";
import type { Destination } from "../migration-state.ts";
import { createFastContentHash } from "../../json/fast-content-hash.ts";

/**
 * Returns a 52-bit hash of a record's own source row, without the rows joined to it. Rows have the same hash if they
 * have the same cells in the same order, regardless of file, line, quoting, delimiter and encoding. Ignores
 * corrections, columns that a rejects file adds (`migrate_...`) and the order of JSON object members. The hash is
 * suitable for recognising a row that was already sent, but not for security.
 */
export function rowHash(given: Row): number {
  const row = given.uncorrected ?? given;
  if (!isCsvRow(row)) return jsonHash(row.value);
  const isOriginal = originalColumns(row.table);
  const cells = row.cells.filter((_, index) => isOriginal?.[index] !== false).map((cell) => encoder.encode(cell));
  let end = 0;
  const ends = Int32Array.from(cells, ({ length }) => (end += length));
  const starts = ends.map((at, index) => at - (cells[index]?.length ?? 0));
  return cellsHash({ bytes: Buffer.concat(cells), starts, ends });
}

/**
 * Returns a function that combines a `rowHash` with the destination, in 52 bits. A journal stores this mark to show
 * which rows were sent to which destination.
 */
export function rowMarker({ endpoint, supplier }: Destination): (hash: number) => number {
  const start = textHash(`${supplier}\n${endpoint}`, SEED) % TWO_TO_THE_32;
  return (hash) => mixHash(start ^ (hash % TWO_TO_THE_32), ~start ^ Math.floor(hash / TWO_TO_THE_32));
}

/** The cells of a record as UTF-8 bytes, with the start and end of each cell. */
export interface CellBytes {
  readonly bytes: Uint8Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
}

/** Returns the `rowHash` of the row with these cells. The file must have no columns that a rejects file adds. */
export function cellsHash({ bytes, starts, ends }: CellBytes): number {
  let one = SEED;
  let other = ~SEED;
  for (let cell = 0; cell < starts.length; cell += 1) {
    const end = ends[cell] ?? 0;
    for (let at = starts[cell] ?? 0; at < end; at += 1) {
      const byte = bytes[at] ?? 0;
      one = Math.imul(one ^ byte, 0x9e3779b1);
      other = Math.imul(other ^ byte, 0x5f356495);
    }
    one = Math.imul(one ^ CELL_END, 0x9e3779b1);
    other = Math.imul(other ^ CELL_END, 0x5f356495);
  }
  return mixHash(one, other);
}

const SEED = 0x13198a2e;
/** Marks the end of a cell. This byte never occurs in UTF-8. */
const CELL_END = 0xff;

const jsonHash = createFastContentHash();
const encoder = new TextEncoder();

const known = new WeakMap<CsvTable, readonly boolean[] | undefined>();

/** Returns, for each column, whether the original extract has it; undefined if the extract has all columns. */
function originalColumns(table: CsvTable): readonly boolean[] | undefined {
  if (known.has(table)) return known.get(table);
  const { columns } = table;
  const are = hasAddedColumns(table) ? columns.map((column) => !isAdded(column)) : undefined;
  known.set(table, are);
  return are;
}

/** Whether the file has columns that a rejects file adds. */
export function hasAddedColumns({ columns }: CsvTable): boolean {
  return columns.some(isAdded);
}

function isAdded(column: string): boolean {
  return column.startsWith("migrate_");
}
