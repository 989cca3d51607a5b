import type { JsonObject } from "../../json/json-value.ts";
import type { Problem } from "../../model/problem.ts";
import { type CsvTable, type InputRecord, isCsvRow, type JsonTable, type Row } from "../../model/record.ts";

/**
 * Input records in the format used to pass them to threads that cannot read the input. Copying one string is much
 * faster than copying objects. JSON values are passed as objects, because JSON text would change large numbers
 * (`1e999`).
 */
export interface PackedRecords {
  readonly text: string;
  readonly values: readonly JsonObject[];
  /** All tables so far, in the order of their numbers in the text. Some of them may be new to the receiving thread. */
  readonly tables: readonly Table[];
}

type Table = CsvTable | JsonTable;

type PackedRecord = readonly [
  number: number,
  source: string,
  orphan: 0 | 1,
  row: PackedRow,
  problems: readonly Problem[] | 0,
];

/** `content`: the cells (CSV), or the pointer of the next value in `values` (JSON). */
type PackedRow = readonly [
  table: number,
  line: number,
  content: readonly string[] | string,
  children: readonly PackedChildren[] | 0,
  uncorrected: PackedRow | 0,
];
type PackedChildren = readonly [source: string, rows: readonly PackedRow[]];

export function recordPacker(): (batch: readonly InputRecord[]) => PackedRecords {
  const numbers = new Map<Table, number>();
  return (batch) => {
    const values: JsonObject[] = [];
    const numberOf = (table: Table): number => {
      const number = numbers.get(table) ?? numbers.size;
      numbers.set(table, number);
      return number;
    };
    const packRow = (row: Row): PackedRow => {
      const children = row.children && [...row.children].map(([source, rows]) => [source, rows.map(packRow)] as const);
      const uncorrected = row.uncorrected === undefined ? 0 : packRow(row.uncorrected);
      if (!isCsvRow(row)) values.push(row.value);
      return [numberOf(row.table), row.line, isCsvRow(row) ? row.cells : row.pointer, children ?? 0, uncorrected];
    };
    const records = batch.map(({ number, source, orphan, row, problems }): PackedRecord => {
      return [number, source, orphan ? 1 : 0, packRow(row), problems.length === 0 ? 0 : problems];
    });
    return { text: JSON.stringify(records), values, tables: [...numbers.keys()] };
  };
}

/**
 * Returns a function that restores the records. Rows of the same file share a table, even if they were packed in
 * different batches.
 */
export function recordUnpacker(): (packed: PackedRecords) => readonly InputRecord[] {
  const known: Table[] = [];
  return ({ text, values, tables }) => {
    for (const table of tables.slice(known.length)) known.push(table);
    const packed: readonly PackedRecord[] = JSON.parse(text);
    let nextValue = 0;
    const unpackRow = ([number, line, content, children, uncorrected]: PackedRow): Row => {
      const table = known[number];
      const more = {
        ...(children !== 0 && { children: childrenOf(children, unpackRow) }),
        ...(uncorrected !== 0 && { uncorrected: unpackRow(uncorrected) }),
      };
      if (table?.kind === "csv" && typeof content !== "string") return { table, line, cells: content, ...more };
      if (table?.kind !== "json" || typeof content !== "string") throw new Error("a packed row does not fit its file");
      const value = values[nextValue] ?? {};
      nextValue += 1;
      return { table, line, pointer: content, value, ...more };
    };
    return packed.map(([number, source, orphan, row, problems]) => {
      return { number, source, orphan: orphan === 1, row: unpackRow(row), problems: problems === 0 ? [] : problems };
    });
  };
}

function childrenOf(
  packed: readonly PackedChildren[],
  unpackRow: (row: PackedRow) => Row,
): ReadonlyMap<string, readonly Row[]> {
  return new Map(packed.map(([source, rows]) => [source, rows.map(unpackRow)]));
}
