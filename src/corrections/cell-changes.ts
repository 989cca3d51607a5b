import { isAtOrIn, parsePointer } from "../json/json-pointer.ts";
import { canonicalJson, cellTextOf } from "../json/json-value.ts";
import { parseJson } from "../json/parse-json.ts";
import { EMPTY_CELL, type Fingerprints } from "../report/rejects/fingerprints.ts";
import { createChangeExplainer, isChangeKind, isSpreadsheetChange } from "./change-kind.ts";
import { type CellFindings, type ChangeCounter, type ChangedCell, createChangeCounter } from "./correction-findings.ts";
import { type CorrectionIndex, readOutcomes, type RejectedRow, type ReturnedRow } from "./correction-index.ts";
import { type ComparedCell, comparedCells, isIn, isList } from "./match-rows.ts";
import type { KeyColumns, ReturnedColumns } from "./returned-rows.ts";
import { basename } from "node:path";
import { isCsvRow, type Row } from "../model/record.ts";

interface CellChangeOptions {
  readonly index: CorrectionIndex;
  readonly fingerprints: Fingerprints;
  readonly columnsOf: (source: string) => readonly string[];
  readonly keyColumns: KeyColumns;
  /** The columns of each re-imported CSV file, by path. */
  readonly layouts: ReadonlyMap<string, ReturnedColumns>;
  readonly restoreKeys: boolean;
  /** Whether `finish` returns the changed rows. If so, they are kept in memory. */
  readonly listsRows: boolean;
}

/** A re-imported row with changed cells, after keys have been restored. */
export interface ChangedRow {
  readonly exported: RejectedRow;
  readonly row: ReturnedRow;
  /** The changed fields: 0-based column indexes (CSV), or pointers within the row (JSON). */
  readonly fields: readonly (number | string)[];
}

/** Distinguishes corrections from other changes to cells. */
interface CellChanges {
  readonly add: (exported: RejectedRow, row: ReturnedRow) => void;
  /** @param outcomes path of the file in the report that contains the keys of its records */
  readonly finish: (outcomes: string) => Promise<{
    readonly cells: CellFindings;
    readonly rows: readonly ChangedRow[];
    /** The numbers of the records with changed keys. */
    readonly keyRecords: ReadonlySet<number>;
  }>;
}

/**
 * Creates a counter of changes. A change to a cell with an error is a correction, unless a spreadsheet changed a key.
 * If the row has an error that belongs to no cell, a change to any cell except a key is a correction, unless a
 * spreadsheet made the change. All other changes are counted as unexpected.
 */
export function openCellChanges(options: CellChangeOptions): CellChanges {
  const { index, fingerprints, columnsOf, keyColumns } = options;
  const explain = createChangeExplainer();
  const [keys, restored, cells] = [createChangeCounter(), createChangeCounter(), createChangeCounter()];
  const keyRestorer = options.restoreKeys ? openKeyRestorer(index, fingerprints, { keys, restored }) : undefined;
  const rows: ChangedRow[] = [];
  const keyRecords = new Set<number>();
  let [correctedCells, correctedRows] = [0, 0];

  const addKey = (change: ChangedCell, exported: RejectedRow, { field, fingerprint }: ComparedCell): void => {
    const position = typeof field === "number" ? options.layouts.get(change.place.file)?.positions[field] : undefined;
    if (keyRestorer === undefined || typeof position !== "number" || fingerprint === undefined) keys.add(change);
    else keyRestorer.restore({ change, exported, fingerprint, position });
  };
  /** Returns true for a correction. */
  const addCell = (exported: RejectedRow, row: ReturnedRow, cell: ComparedCell): boolean => {
    const { field, fingerprint = EMPTY_CELL, value = "", isSame } = cell;
    const { source } = row;
    const columns = columnsOf(source);
    const column = typeof field === "string" ? parsePointer(field).join(".") : (columns[field] ?? "");
    const after = typeof field === "string" ? textOf(value) : value;
    const wasBefore = (text: string): boolean => isSame(typeof field === "string" ? canonicalJson(text) : text);
    const { kind, before } = explain(after, fingerprint === EMPTY_CELL, wasBefore);
    const change = { source, column, change: kind, place: row, before, after };
    const isIntended = !isSpreadsheetChange(kind);
    const keyNames = keyColumns(source).filter((name) => isIn(field, name, columns));
    if (keyNames.length > 0) {
      keyRecords.add(exported.record);
      const hadErrors = keyNames.every((name) => exported.errors.some((error) => isIn(error, name, columns)));
      if (hadErrors && isIntended) return true;
      addKey(change, exported, cell);
      return false;
    }
    const hadError = exported.errors.some((error) => isSameCell(error, field));
    if (hadError || (exported.marks.includes("a") && isIntended)) return true;
    cells.add(change);
    return false;
  };

  return {
    add: (exported, row) => {
      const compared = comparedCells(exported, row.values, { columns: columnsOf(row.source), fingerprints });
      const changed = compared.filter(isChanged);
      const corrected = changed.filter((cell) => addCell(exported, row, cell)).length;
      if (options.listsRows) rows.push({ exported, row, fields: changed.map(({ field }) => field) });
      correctedCells += corrected;
      if (corrected > 0) correctedRows += 1;
    },
    finish: async (outcomes) => {
      await keyRestorer?.finish(outcomes);
      return {
        cells: { correctedCells, correctedRows, keys: keys.all(), restored: restored.all(), cells: cells.all() },
        rows: rows.map((changed) => withRestored(changed, options)).filter(({ fields }) => fields.length > 0),
        keyRecords,
      };
    },
  };
}

/** Returns a scalar in canonical JSON as the text of a cell. */
function textOf(json: string): string {
  const value = parseJson(json);
  return typeof value === "object" && value !== null ? json : cellTextOf(value ?? null);
}

/** Whether a change to `field` affects the place of an error. In JSON, one of them may contain the other. */
function isSameCell(error: number | string, field: number | string): boolean {
  if (typeof error === "number" || typeof field === "number") return error === field;
  return isAtOrIn(field, error) || isAtOrIn(error, field);
}

function withRestored({ exported, row, fields }: ChangedRow, { index, layouts }: CellChangeOptions): ChangedRow {
  const { file, line, values } = row;
  const byPosition = restoredCells(index, file, line);
  if (byPosition.size === 0 || !isList(values)) return { exported, row, fields };
  const positions = layouts.get(file)?.positions ?? [];
  const restored = new Map([...byPosition].map(([position, value]) => [positions.indexOf(position), value]));
  return {
    exported,
    row: { ...row, values: values.map((value, field) => restored.get(field) ?? value) },
    fields: fields.filter((field) => typeof field !== "number" || !restored.has(field)),
  };
}

/** Returns the restored keys in a row, by the current 0-based index of the column. */
function restoredCells({ rows }: CorrectionIndex, file: string, line: number): ReadonlyMap<number, string> {
  const found = rows("select position, value from restored where file = ? and line = ?", file, line);
  return new Map(found.map(({ position, value }) => [Number(position), String(value)]));
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

interface ChangedKey {
  readonly change: ChangedCell;
  readonly exported: RejectedRow;
  /** The fingerprint that the restored value must match. */
  readonly fingerprint: string;
  /** The current 0-based index of the column. */
  readonly position: number;
}

interface KeyCounters {
  /** Keys that could not be restored. */
  readonly keys: ChangeCounter;
  readonly restored: ChangeCounter;
}

/** Restores the previous values of keys. Uses only values that match the fingerprint of the exported key. */
function openKeyRestorer(
  { database, each, rows }: CorrectionIndex,
  fingerprints: Fingerprints,
  { keys, restored }: KeyCounters,
) {
  const put = database.prepare("insert into restored values (?,?,?,?)");
  const wait = database.prepare("insert into unresolved values (?,?,?,?,?,?,?,?,?,?)");
  const settle = database.prepare("delete from unresolved where rowid = ?");
  return {
    restore: ({ change, exported, fingerprint, position }: ChangedKey): void => {
      const { place, before, source, column, after } = change;
      if (before === undefined) {
        const { record, number } = exported;
        wait.run(record, source, number, column, fingerprint, place.file, place.line, position, after, change.change);
      } else {
        put.run(place.file, place.line, position, before);
        restored.add(change);
      }
    },
    /** Restores further keys from the outcomes of the report, if no reversed change produced their previous values. */
    finish: async (outcomes: string): Promise<void> => {
      if (rows("select 1 from unresolved limit 1").length === 0) return;
      database.exec("create index unresolved_by_record on unresolved (record)");
      for await (const { record, key } of readOutcomes(outcomes, basename(outcomes))) {
        if (typeof record !== "number" || typeof key !== "string") continue;
        for (const found of rows("select rowid as id, * from unresolved where record = ?", record)) {
          const { source, number, column_name: column } = found;
          const place = { source: String(source), row: Number(number), column: String(column) };
          if (fingerprints.cell(place, key) !== found["fingerprint"]) continue;
          put.run(String(found["file"]), Number(found["line"]), Number(found["position"]), key);
          restored.add({ ...changeOf(found), before: key });
          settle.run(Number(found["id"]));
        }
      }
      for (const found of each("select * from unresolved order by rowid")) keys.add(changeOf(found));
    },
  };
}

function changeOf(found: Readonly<Record<string, unknown>>): ChangedCell {
  const { source, column_name: column, file, line, value, kind } = found;
  const place = { file: String(file), line: Number(line) };
  const change = isChangeKind(kind) ? kind : "other";
  return { source: String(source), column: String(column), change, place, before: undefined, after: String(value) };
}

/** Returns a function that restores the keys in a row. */
export function rowRestorer(index: CorrectionIndex): (row: Row) => Row {
  return (row) => {
    if (!isCsvRow(row)) return row;
    const restored = restoredCells(index, row.table.file, row.line);
    return restored.size === 0
      ? row
      : { ...row, cells: row.cells.map((cell, position) => restored.get(position) ?? cell) };
  };
}
