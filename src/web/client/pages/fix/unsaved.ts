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

export const CHECKED_AGAIN = "The project has been checked again in the meantime.";

export function cellName(column: string, key: string): string {
  return `${column} of ${key || "a row without a key"}`;
}

interface CellNames {
  readonly columns: readonly string[];
  readonly keyAt: (position: number) => string | undefined;
}

export function subjectOf(cells: readonly CellEdit[], { columns, keyAt }: CellNames): EditSubject {
  const [first] = cells;
  if (first === undefined) return { where: "No cell" };
  const name = cellName(columns[first.column] ?? "", keyAt(first.position) ?? "");
  if (cells.length > 1) return { where: `${counted(cells.length, "cell")}, starting with ${name}` };
  return first.value === null ? { where: name } : { where: name, value: first.value };
}
