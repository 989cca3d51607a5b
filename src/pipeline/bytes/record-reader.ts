import { cellsHash } from "../../ledger/records/row-hash.ts";
import type { CsvTable } from "../../model/record.ts";
import type { RecordPiece } from "../../read/chunks/chunk-rows.ts";
import type { ChunkCsvFile, ChunkJsonFile } from "../../read/chunks/record-chunk.ts";
import { cellMarks, findCells, newRecordCells, type RecordCells, recordStarter } from "../../read/csv/record-cells.ts";
import { jsonCellFinder } from "../../read/json/json-cells.ts";
import { readableCells } from "./readable-cells.ts";

/** Reads the records of a file as cells. */
export interface RecordReader {
  /** The columns of the cells. */
  readonly table: CsvTable;
  /** The cells of the current record. */
  readonly cells: RecordCells;
  /**
   * Prepares to read a piece, starting at record `from`. The returned function moves to a record, and returns false if
   * the record needs the row path. Call it for every record, in order.
   */
  readonly begin: (piece: RecordPiece, from: number) => (number: number) => boolean;
  /** Finds the cells of the current record. Returns false if the record needs the row path. */
  readonly read: () => boolean;
  readonly rowHash: () => number;
}

export function csvReader(file: ChunkCsvFile): RecordReader {
  const { layout } = file;
  const { table } = layout.header;
  const cells = newRecordCells(table, layout.delimiter);
  const marks = cellMarks(layout);
  const isReadable = readableCells(file);
  return {
    table,
    cells,
    begin: (piece, from) => recordStarter(cells, piece, from),
    read: () => findCells(cells, marks) && isReadable(cells),
    rowHash: () => cellsHash(cells),
  };
}

/**
 * Returns a reader for the values at these paths.
 * @param hashesRows whether to compute `rowHash`
 */
export function jsonReader(file: ChunkJsonFile, columns: readonly string[], hashesRows: boolean): RecordReader {
  const columnIndex = new Map(columns.map((name, index) => [name, index]));
  const table: CsvTable = { kind: "csv", file: file.table.file, columns, columnIndex };
  const cells = newRecordCells(table, undefined);
  const finder = jsonCellFinder(columns, hashesRows);
  return {
    table,
    cells,
    begin: (piece, from) => recordStarter(cells, piece, from),
    read: () => finder.find(cells),
    rowHash: finder.rowHash,
  };
}
