import type { CsvLayout } from "../../read/csv/csv-layout.ts";
import { newRecordCells, type RecordCells } from "../../read/csv/record-cells.ts";

/** The cells of one record, and what was made of them so far. */
export interface PlainCells extends RecordCells {
  /** The number of the record where it is read. */
  number: number;
  /** How many values came out of cells. */
  made: number;
  /** Where the record's key stands, when it is the text of a cell; -1 otherwise. */
  keyStart: number;
  keyEnd: number;
  /** The key, when it is made otherwise. */
  keyText: string | undefined;
}

export function newPlainCells(layout: CsvLayout): PlainCells {
  return Object.assign(newRecordCells(layout), { number: 0, made: 0, keyStart: -1, keyEnd: 0, keyText: undefined });
}

/** Forgets what was made of the record before. */
export function startRecord(cells: PlainCells): void {
  cells.made = 0;
  cells.keyStart = -1;
  cells.keyText = undefined;
}
