import { type NewChange, planCell } from "../../../commands/corrections/change-corrections.ts";
import type { Row } from "../../../model/record.ts";
import { cellText, type Correction, rowSha256Of, identityOf } from "../../../read/corrections/correction.ts";
import type { Editor, Refusal } from "../fix-types.ts";
import { lockReason, problemsOf, type ViewParts } from "../session/row-view.ts";
import { correctionsOfCell } from "../session/session-changes.ts";
import { pointerOf, type StoredRow, storedRow } from "../session/session-rows.ts";
import type { Found } from "../session/session-store.ts";
import type { Step } from "./edit-steps.ts";

/** A new value for a cell of a stored row. */
export interface CellTarget {
  readonly row: number;
  readonly column: string;
  /** The new value; null restores the extract's value. */
  readonly value: string | null;
}

/** Returns the current rows of a source that have this key. */
export type CurrentRows = (source: number, key: string) => readonly Row[];

interface StoredCell {
  readonly target: CellTarget;
  readonly row: StoredRow;
  readonly found: Found;
}

export function storedCell(target: CellTarget, { store, rows }: ViewParts): StoredCell {
  const found = store.one("select * from row where id = ?", target.row);
  if (found === undefined) throw new Error(`There is no row ${target.row}.`);
  return { target, found, row: storedRow(found, rows) };
}

/** The message for a cell that was changed after the tab last read the session. */
export const EDITED =
  "Another tab or user has changed this cell in the meantime. Check the new value, then edit the cell again.";

/** Returns the reason why a cell cannot be changed; undefined if the cell can be changed. */
export function refusalOf(
  { target, row, found }: StoredCell,
  { tab, seen, current }: Editor & { readonly current: CurrentRows | undefined },
  parts: ViewParts,
): Refusal | undefined {
  const { store, rows } = parts;
  const { column } = target;
  const about = { key: row.key ?? "", column };
  const locked = lockReason(row, problemsOf(found), rows);
  if (locked !== undefined) return { ...about, reason: "locked", message: locked };
  const old = cellText(row.original, column);
  if (old === undefined) return { ...about, reason: "locked", message: NO_PLACE };
  const touched = store.one("select seq, tab from touched where row = ? and column_name = ?", row.id, column);
  if (touched !== undefined && Number(touched["seq"]) > seen && touched["tab"] !== tab)
    return { ...about, reason: "edited", message: EDITED };
  const change = current && changeOf(row, column, current(row.source, row.key ?? ""), parts);
  return change === undefined ? undefined : { ...about, reason: "source_changed", message: change };
}

const NO_PLACE = "This row has no cell in this column. Correct the file.";

const CELL_CHANGED =
  "The value of this cell in the file has changed since the check. Check again to see the new value.";
const ROW_CHANGED =
  "This row of the file has changed, or was removed, since the check. Check again to see the current rows.";

/**
 * Returns the message for a row that has changed. Returns undefined if the row is unchanged, or if it is and was the
 * only row with its key, and the cell still has its old value.
 */
function changeOf(row: StoredRow, column: string, current: readonly Row[], parts: ViewParts): string | undefined {
  const { original } = row;
  if (current.some((each) => rowSha256Of(each) === rowSha256Of(original))) return undefined;
  const [only, ...more] = current;
  if (only === undefined || more.length > 0 || othersOf(row, parts).length > 0) return ROW_CHANGED;
  return cellText(only, column) === cellText(original, column) ? undefined : CELL_CHANGED;
}

/** The user who makes an edit, and its time. */
export interface Author {
  readonly by: string;
  readonly at: string;
}

/** Converts new values to lines of the corrections file. */
export interface Planner {
  readonly plan: (row: StoredRow, target: CellTarget) => void;
  readonly entries: () => readonly NewChange[];
  readonly steps: () => readonly Step[];
}

export function createPlanner(parts: ViewParts, author: Author): Planner {
  const entries = new Map<string, NewChange>();
  const steps: Step[] = [];
  const add = (entry: NewChange, before: Correction | undefined): void => {
    const identity = identityOf(entry.correction);
    if (entries.has(identity)) return;
    entries.set(identity, entry);
    steps.push({ identity, before, after: entry.change === "set" ? entry.correction : undefined });
  };
  return {
    entries: () => [...entries.values()],
    steps: () => steps,
    plan: (row, target) => {
      const { column } = target;
      const value = target.value ?? cellText(row.original, column) ?? "";
      const cell = {
        key: row.key ?? "",
        source: parts.rows.sourceName(row.source),
        column,
        value,
        ...author,
        reason: REASON,
      };
      const context = { others: () => othersOf(row, parts), inForce: correctionsOfCell(row, column, parts) };
      for (const { entry, before } of planCell(cell, row.original, context)) add(entry, before);
    },
  };
}

/** The reason that the corrections file gives for corrections made on the page. */
const REASON = "migrate web";

/** Returns the other rows of the source with the same key, without corrections. */
function othersOf({ id, source, key = "", original }: StoredRow, { store, rows }: ViewParts): readonly Row[] {
  const place = placeOf(original);
  const stored = store.all("select * from row where source = ? and key = ? and id <> ?", source, key, id);
  const siblings = store.all("select * from sibling where source = ? and key = ?", source, key);
  return [...stored, ...siblings]
    .map((found) => rows.plainRow(found, found["original"]))
    .filter((row) => placeOf(row) !== place);
}

function placeOf(row: Row): string {
  return `${row.table.file} ${row.line} ${pointerOf(row)}`;
}
