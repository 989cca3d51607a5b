import { canonicalJson, isJsonArray, isJsonObject, type JsonValue, valueAt } from "../json/json-value.ts";
import { parsePointer } from "../json/json-pointer.ts";
import { parseJson } from "../json/parse-json.ts";
import { isCsvRow, type Row } from "../model/record.ts";
import { withCellText } from "../read/corrections/correction.ts";
import type { ReadRow } from "../read/row/read-row.ts";
import { createFingerprints } from "../report/rejects/fingerprints.ts";
import { isRagged, originalCells } from "../report/rejects/reject-file.ts";
import type { ChangedRow } from "./cell-changes.ts";
import { exportedColumns, type ReturnedRejects } from "./check-corrections.ts";
import type { ReturnedRow } from "./correction-index.ts";
import { type ComparedCell, comparedCells, isList, rowFingerprint, scoreCells } from "./match-rows.ts";
import { memberTexts } from "./returned-rows.ts";
import { addToGroup } from "../model/groups.ts";

export interface SourceRow {
  /** The row as it is in the file. */
  readonly raw: Row;
  readonly problems: ReadRow["problems"];
  /** The row with all corrections, including corrections that will be added. */
  current: Row;
  /** Whether the key identifies a single row. False if rows are identified by the column that joins them. */
  readonly hasOwnKey: boolean;
}

/**
 * A changed row in rejects that can be compared with rows in the sources. The fields of a JSON row are its members,
 * because a correction of a list with another length replaces the whole list.
 */
export interface ReturnedChange extends ChangedRow {
  /** The run whose rejects contain the row. */
  readonly run: string;
  /** The original columns of the rejects (CSV). */
  readonly columns: readonly string[];
  /** The rows of the sources that may be this row, in file order. */
  readonly candidates: SourceRow[];
  readonly compare: (row: Row) => readonly ComparedCell[];
  readonly fingerprintOf: (row: Row) => string;
}

/**
 * The reason why a changed cell in rejects is not kept as a correction.
 *
 * - `changed`: the cell in the sources has neither the exported nor the new value
 * - `corrected`: the cell in the sources has the exported value, but an earlier correction gives it another value
 * - `missing`: the sources do not have the row
 * - `no_match`: the row has changed in the sources, or the sources contain only other rows with this key
 * - `no_column`: the sources do not have the column
 * - `no_key`: the row has no key
 * - `repeated`: the row is identical to another row with the same key
 * - `unreadable`: the row has too few or too many cells
 * - `bad_cell`: the cell in the sources could not be read
 * - `other_type`: a correction cannot store the change to a JSON value
 */
export type KeepObstacle =
  | "changed"
  | "corrected"
  | "missing"
  | "no_match"
  | "no_column"
  | "no_key"
  | "repeated"
  | "unreadable"
  | "bad_cell"
  | "other_type";

/** A new value of a cell, as a correction stores it. */
export interface NewText {
  readonly column: string;
  readonly text: string;
}

export function returnedChanges({ manifest, changedRows }: ReturnedRejects): readonly ReturnedChange[] {
  const fingerprints = createFingerprints(manifest.secret);
  const columnsOf = exportedColumns(manifest);
  return changedRows.map((changed) => {
    const { source } = changed.row;
    const columns = columnsOf(source);
    return {
      ...changed,
      fields: [...new Set(changed.fields.map(memberOf))],
      run: manifest.run,
      columns,
      candidates: [],
      compare: (row) => {
        const values = valuesOf(row, columns);
        return comparedMembers(comparedCells(changed.exported, values, { columns, fingerprints }), values);
      },
      fingerprintOf: (row) => rowFingerprint(source, valuesOf(row, columns), fingerprints),
    };
  });
}

function memberOf(field: number | string): number | string {
  return typeof field === "number" ? field : (parsePointer(field)[0] ?? "");
}

/** Combines the cells of each member of a JSON row. */
function comparedMembers(cells: readonly ComparedCell[], values: ReturnedRow["values"]): readonly ComparedCell[] {
  if (isList(values)) return cells;
  const members = new Map<string, ComparedCell[]>();
  for (const cell of cells) addToGroup(members, String(memberOf(cell.field)), cell);
  return [...members].map(([field, own]) => ({
    field,
    fingerprint: own.find(({ fingerprint }) => fingerprint !== undefined)?.fingerprint,
    value: values[field],
    isSame: () => own.every((cell) => cell.fingerprint !== undefined && isAsExported(cell)),
  }));
}

function valuesOf(row: Row, columns: readonly string[]): ReturnedRow["values"] {
  return isCsvRow(row) ? originalCells(row, columns) : memberTexts(row);
}

/**
 * Finds the source row for each changed row of one folder. Uses each source row once. First matches rows that have the
 * exported content, then the most similar rows.
 */
export function matchSourceRows(
  changes: readonly ReturnedChange[],
): ReadonlyMap<ReturnedChange, SourceRow | undefined> {
  const taken = new Set<SourceRow>();
  const matches = new Map<ReturnedChange, SourceRow | undefined>();
  const take = (change: ReturnedChange, sourceRow: SourceRow | undefined): void => {
    matches.set(change, sourceRow);
    if (sourceRow !== undefined) taken.add(sourceRow);
  };
  const isFree = (row: SourceRow): boolean => !taken.has(row);
  for (const change of changes) {
    const { candidates, exported, fingerprintOf } = change;
    take(
      change,
      candidates.find((row) => isFree(row) && fingerprintOf(row.current) === exported.fingerprint),
    );
  }
  for (const [change, sourceRow] of matches) if (sourceRow === undefined) take(change, closestRow(change, isFree));
  return matches;
}

/**
 * Returns the row with the most cells that have their exported or returned value. If the row is the only candidate and
 * its key identifies a single row, at least half of its filled cells must have such a value. Otherwise, it may belong
 * to another person, so all cells that were not changed in the rejects must have their exported value. Returns
 * undefined if another row has as many such cells.
 */
function closestRow(change: ReturnedChange, isFree: (row: SourceRow) => boolean): SourceRow | undefined {
  const [best, second] = change.candidates
    .filter(isFree)
    .map((row) => ({ row, cells: knownCells(change, row) }))
    .map(({ row, cells }) => ({ row, cells, ...scoreCells(cells) }))
    .toSorted((one, other) => other.unchanged - one.unchanged);
  if (best === undefined || best.unchanged === second?.unchanged) return undefined;
  if (best.row.hasOwnKey && change.candidates.length === 1)
    return best.unchanged * 2 < best.filled ? undefined : best.row;
  const others = scoreCells(best.cells.filter(({ field }) => !change.fields.includes(field)));
  return others.unchanged < others.filled ? undefined : best.row;
}

/**
 * Returns the cells of a source row. A cell counts as unchanged if it has its exported value, with or without
 * corrections, or its returned value.
 */
function knownCells(change: ReturnedChange, { raw, current }: SourceRow): readonly ComparedCell[] {
  const rawCells = new Map(change.compare(raw).map((cell) => [cell.field, cell]));
  return change.compare(current).map((cell) => {
    const isReturned = change.fields.includes(cell.field) && cell.value === returnedValue(change.row, cell.field);
    const isKnown = isReturned || isAsExported(rawCells.get(cell.field));
    return isKnown ? { ...cell, isSame: () => true } : cell;
  });
}

/**
 * Returns the new values that the change to a field in the rejects implies for a row of the sources, or the obstacle.
 * @returns `already_corrected` if the row already has the new value; `no_column_returned` if the rejects do not have
 * the column
 */
export function newTexts(
  change: ReturnedChange,
  sourceRow: SourceRow | undefined,
  field: number | string,
): readonly NewText[] | KeepObstacle | "already_corrected" | "no_column_returned" {
  const value = returnedValue(change.row, field);
  if (typeof field === "number" && value === undefined) return "no_column_returned";
  if (sourceRow === undefined) return change.candidates.length === 0 ? "missing" : "no_match";
  if (isRagged(sourceRow.raw)) return "unreadable";
  const now = cellOf(change, sourceRow.current, field);
  if (now?.value === value) return "already_corrected";
  if (!isAsExported(now)) return obstacleOf(change, sourceRow, field);
  return typeof field === "number"
    ? [{ column: columnOf(change, field), text: value ?? "" }]
    : jsonTexts(sourceRow.current, field, parseJson(value ?? ""));
}

/** Returns the obstacle for a field that does not have the exported value. */
function obstacleOf(change: ReturnedChange, { raw }: SourceRow, field: number | string): KeepObstacle {
  return isAsExported(cellOf(change, raw, field)) ? "corrected" : "changed";
}

function cellOf({ compare }: ReturnedChange, row: Row, field: number | string): ComparedCell | undefined {
  return compare(row).find((each) => each.field === field);
}

/** Returns the name of the column or member. */
export function columnOf({ columns }: ReturnedChange, field: number | string): string {
  return typeof field === "string" ? field : (columns[field] ?? "");
}

function returnedValue({ values }: ReturnedRow, field: number | string): string | undefined {
  if (isList(values)) return values[Number(field)] ?? undefined;
  return values[String(field)];
}

function isAsExported(cell: ComparedCell | undefined): boolean {
  if (cell?.fingerprint === undefined) return cell?.value === undefined;
  return cell.value !== undefined && cell.isSame(cell.value);
}

/** Returns the changed values below a member of a JSON row; `other_type` if corrections cannot express the change. */
function jsonTexts(row: Row, member: string, after: JsonValue | undefined): readonly NewText[] | "other_type" {
  if (isCsvRow(row)) return "other_type";
  const texts = changedValues(valueAt(row.value, [member]), after, [member]).map(({ path, value = "" }) => ({
    column: path.join("."),
    text: typeof value === "string" ? value : canonicalJson(value),
  }));
  const changed = texts.reduce((now: Row, { column, text }) => withCellText(now, column, text), row);
  const result = isCsvRow(changed) ? undefined : valueAt(changed.value, [member]);
  const isEqual = after !== undefined && result !== undefined && canonicalJson(result) === canonicalJson(after);
  return isEqual ? texts : "other_type";
}

interface ChangedValue {
  readonly path: readonly string[];
  /** Undefined for a removed member. */
  readonly value: JsonValue | undefined;
}

function changedValues(
  before: JsonValue | undefined,
  after: JsonValue | undefined,
  path: readonly string[],
): readonly ChangedValue[] {
  if (isJsonObject(before) && isJsonObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => changedValues(valueAt(before, [name]), valueAt(after, [name]), [...path, name]));
  }
  if (isJsonArray(before) && isJsonArray(after) && before.length === after.length)
    return after.flatMap((value, index) => changedValues(before[index], value, [...path, String(index)]));
  const isSame = before !== undefined && after !== undefined && canonicalJson(before) === canonicalJson(after);
  return isSame ? [] : [{ path, value: after }];
}
