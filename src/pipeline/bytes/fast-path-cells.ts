import type { RecordCells } from "../../read/csv/record-cells.ts";

/** The cells of one record, and the state of its encoding. */
export interface FastPathCells extends RecordCells {
  /** Number of the record in its piece. */
  number: number;
  /** Number of values built from cells. */
  made: number;
  /** Position of the key if it is the text of a cell; otherwise -1. */
  keyStart: number;
  keyEnd: number;
  /** The key, if it is not the text of a cell. */
  keyText: string | undefined;
}

export function withEncodingState(cells: RecordCells): FastPathCells {
  return Object.assign(cells, { number: 0, made: 0, keyStart: -1, keyEnd: 0, keyText: undefined });
}

export function startRecord(cells: FastPathCells): void {
  cells.made = 0;
  cells.keyStart = -1;
  cells.keyText = undefined;
}
