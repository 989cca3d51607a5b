import { EMPTY_CELL, type Fingerprints } from "../report/rejects/fingerprints.ts";
import { createChangeExplainer, isSpreadsheetChange } from "./change-kind.ts";
import { type ChangedCells, type CorrectionFindings, createChangeCounter } from "./correction-findings.ts";
import type { CorrectionIndex, RejectedRow, ReturnedRow } from "./correction-index.ts";
import { type ComparedCell, comparedCells } from "./match-rows.ts";
import { openKeyRestorer } from "./restore-keys.ts";
import type { ReturnedColumns } from "./returned-columns.ts";

export interface CellChangeOptions {
  readonly index: CorrectionIndex;
  readonly fingerprints: Fingerprints;
  readonly columnsOf: (source: string) => readonly string[];
  readonly isKey: (source: string, column: string) => boolean;
  /** The columns of each re-imported file, by file. */
  readonly layouts: ReadonlyMap<string, ReturnedColumns>;
  readonly restoreKeys: boolean;
}

/** Distinguishes corrections from other changes to cells. */
export interface CellChanges {
  readonly add: (exported: RejectedRow, row: ReturnedRow) => void;
  /** @param outcomes file of the report that contains the keys of its records */
  readonly finish: (
    outcomes: string,
  ) => Promise<Pick<CorrectionFindings, "correctedCells" | "correctedRows" | "keys" | "restored" | "cells">>;
}

/** A cell with an error may be corrected; changes to keys and to all other cells are counted as unexpected. */
export function openCellChanges(options: CellChangeOptions): CellChanges {
  const { index, fingerprints, columnsOf, isKey } = options;
  const explain = createChangeExplainer();
  const [keys, restored, cells] = [createChangeCounter(), createChangeCounter(), createChangeCounter()];
  const keyRestorer = options.restoreKeys ? openKeyRestorer(index, fingerprints, { keys, restored }) : undefined;
  let [correctedCells, correctedRows] = [0, 0];

  const addKey = (
    change: Omit<ChangedCells, "count">,
    exported: RejectedRow,
    { field, fingerprint }: ComparedCell,
  ): void => {
    const position = typeof field === "number" ? options.layouts.get(change.place.file)?.positions[field] : undefined;
    if (keyRestorer === undefined || typeof position !== "number" || fingerprint === undefined) keys.add(change);
    else keyRestorer.restore({ change, exported, fingerprint, position });
  };
  /** Returns true for a correction. */
  const addCell = (exported: RejectedRow, row: ReturnedRow, cell: ComparedCell): boolean => {
    const { field, fingerprint = EMPTY_CELL, value = "", isSame } = cell;
    const column = typeof field === "string" ? field : (columnsOf(row.source)[field] ?? "");
    const { kind, before } = explain(value, fingerprint === EMPTY_CELL, isSame);
    const change = { source: row.source, column, change: kind, place: row, before, after: value };
    const hadError = exported.errors.includes(field);
    const isIntended = !isSpreadsheetChange(kind);
    if (isKey(row.source, column)) {
      if (hadError && isIntended) return true;
      addKey(change, exported, cell);
      return false;
    }
    if (hadError || (exported.marks.includes("a") && isIntended)) return true;
    cells.add(change);
    return false;
  };

  return {
    add: (exported, row) => {
      const compared = comparedCells(exported, row, { columns: columnsOf(row.source), fingerprints });
      const corrected = compared.filter((cell) => isChanged(cell) && addCell(exported, row, cell)).length;
      correctedCells += corrected;
      if (corrected > 0) correctedRows += 1;
    },
    finish: async (outcomes) => {
      await keyRestorer?.finish(outcomes);
      return { correctedCells, correctedRows, keys: keys.all(), restored: restored.all(), cells: cells.all() };
    },
  };
}

/**
 * Whether the cell has changed. A removed column is reported separately, so its cell counts as changed only if it had a
 * value.
 */
function isChanged({ fingerprint, value, isSame }: ComparedCell): boolean {
  if (fingerprint === undefined) return true;
  if (value === undefined) return fingerprint !== EMPTY_CELL;
  return !isSame(value);
}
