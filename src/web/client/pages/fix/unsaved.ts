import { useEffect, useState } from "preact/hooks";
import type { ErrorDetails } from "../../../../model/failure.ts";
import { counted } from "../../../../text/count.ts";
import type { CellEdit } from "../../../fix/fix-types.ts";

/** What an edit changes, for the message if the edit is not saved. */
export interface EditSubject {
  readonly where: string;
  /** The value that the user typed or chose. */
  readonly value?: string;
}

/** An edit, or a cell of an edit, that was not saved. */
export interface Unsaved extends EditSubject {
  readonly message: string;
}

/** Returns the reason why an edit was not saved. After `server_stopped`, the edit may have been saved. */
export function reasonOf({ code, message }: ErrorDetails): string {
  if (code === "session_changed") return "The project has been checked again in the meantime.";
  return code === "server_stopped" ? "The program stopped before it confirmed the change." : message;
}

let unsaved: readonly Unsaved[] = [];
const listeners = new Set<(list: readonly Unsaved[]) => void>();

/** Returns the edits of this tab that were not saved. They remain while other pages are shown. */
export function useUnsaved(): readonly Unsaved[] {
  const [shown, show] = useState(unsaved);
  useEffect(() => {
    listeners.add(show);
    show(unsaved);
    return () => void listeners.delete(show);
  }, []);
  return shown;
}

/**
 * Lists the parts of an edit that were not saved. A value that the user typed earlier stays listed, unless this edit
 * repeats it.
 */
export function noteEdit({ where, value }: EditSubject, notSaved: readonly Unsaved[]): void {
  const typed = unsaved.filter((each) => each.value !== undefined && (each.where !== where || each.value !== value));
  change([...typed, ...notSaved]);
}

export function dismissUnsaved(): void {
  change([]);
}

function change(next: readonly Unsaved[]): void {
  unsaved = next;
  for (const listener of listeners) listener(next);
}

export function cellName(column: string, key: string): string {
  return `${column} of ${key || "a row without a key"}`;
}

export function subjectOf(
  cells: readonly CellEdit[],
  columns: readonly string[],
  keyAt: (position: number) => string | undefined,
): EditSubject {
  const [first] = cells;
  if (first === undefined) return { where: "No cell" };
  const name = cellName(columns[first.column] ?? "", keyAt(first.position) ?? "");
  if (cells.length > 1) return { where: `${counted(cells.length, "cell")}, starting with ${name}` };
  return first.value === null ? { where: name } : { where: name, value: first.value };
}
