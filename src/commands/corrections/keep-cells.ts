import { getOrAdd } from "../../model/groups.ts";
import {
  columnOf,
  matchSourceRows,
  type KeepObstacle,
  newTexts,
  type NewText,
  type ReturnedChange,
  type SourceRow,
} from "../../corrections/returned-changes.ts";
import { formatPlace, type Place } from "../../model/place.ts";
import { placeOf, type Row } from "../../model/record.ts";
import {
  cellProblem,
  cellText,
  type Correction,
  rowSha256Of,
  sha256Of,
  withCellText,
  identityOf,
} from "../../read/corrections/correction.ts";
import { type NewChange, planCell } from "./change-corrections.ts";

interface ReturnedCell {
  readonly source: string;
  readonly column: string;
  readonly place: Place;
}

/** Changed cells in rejects that cannot be kept as corrections, counted by source, column and obstacle. */
export interface NotKept extends ReturnedCell {
  /** The number of cells. `place` is the place of the first cell. */
  readonly count: number;
  readonly obstacle: KeepObstacle;
}

/** The keys that identify rows of the sources in corrections. */
export interface SourceKeys {
  readonly keyOfRow: (source: string, row: Row) => string | undefined;
  /** Returns the rows of a source that have this key, in file order. */
  readonly rowsWithKey: (source: string, key: string) => readonly Row[];
}

/** A line for the corrections file, and the cell in the rejects that the line was created from. */
interface KeptChange extends NewChange {
  readonly cell: ReturnedCell;
  /** False if the file already contains a correction that the line replaces or removes. */
  readonly isNew: boolean;
}

/** Converts the changed rows in rejects to lines for the corrections file. */
export interface CellKeeper {
  /** Keeps the changed rows of one folder. Call this method once per folder, in order. */
  readonly keep: (changes: readonly ReturnedChange[]) => void;
  readonly refuse: (cell: ReturnedCell, obstacle: KeepObstacle) => void;
  readonly changes: () => readonly KeptChange[];
  /** `alreadyCorrected` is the number of cells that already have the new value. */
  readonly counts: () => { readonly alreadyCorrected: number; readonly notKept: readonly NotKept[] };
}

/** @param inFile the corrections in force, in file order */
export function createCellKeeper(
  inFile: readonly Correction[],
  { keyOfRow, rowsWithKey }: SourceKeys,
  { by, at, reason }: { readonly by: string; readonly at: string; readonly reason: string | undefined },
): CellKeeper {
  const inForce = createCorrectionsInForce(inFile);
  const changes = new Map<string, KeptChange>();
  const { refuse, notKept } = countNotKept();
  let alreadyCorrected = 0;
  const keepText = (
    cell: ReturnedCell,
    { column, text: value }: NewText,
    { row, run }: { readonly row: SourceRow; readonly run: string },
  ): KeepObstacle | undefined => {
    const { raw } = row;
    const { source } = cell;
    const key = keyOfRow(source, raw);
    const old = cellText(raw, column);
    if (key === undefined) return "no_key";
    if (old === undefined) return "no_column";
    if (cellProblem(raw, column, row.problems) !== undefined) return "bad_cell";
    const place = formatPlace(placeOf(raw));
    const others = rowsWithKey(source, key).filter((other) => formatPlace(placeOf(other)) !== place);
    const own = inForce.of({ source, key, column, oldSha256: sha256Of(old) }, raw);
    if (own.length === 0 && others.some((other) => rowSha256Of(other) === rowSha256Of(raw))) return "repeated";
    const planned = { key, source, column, value, by, at, reason: reason ?? `rejects of run ${run}` };
    for (const { entry } of planCell(planned, raw, { others: () => others, inForce: own })) {
      const identity = identityOf(entry.correction);
      changes.delete(identity);
      changes.set(identity, { ...entry, cell, isNew: !inForce.isInFile(identity) });
      inForce.apply(entry);
    }
    row.current = withCellText(row.current, column, value);
    return undefined;
  };
  const keepField = (change: ReturnedChange, row: SourceRow | undefined, field: number | string): void => {
    const { source, file, line } = change.row;
    const cell = { source, column: columnOf(change, field), place: { file, line } };
    const texts = newTexts(change, row, field);
    if (texts === "no_column_returned") return;
    if (texts === "already_corrected") alreadyCorrected += 1;
    else if (typeof texts === "string") refuse(cell, texts);
    else if (row !== undefined) {
      const obstacle = texts
        .map((text) => keepText(cell, text, { row, run: change.run }))
        .find((each) => each !== undefined);
      if (obstacle !== undefined) refuse(cell, obstacle);
    }
  };
  return {
    refuse,
    // A correction that was added and then removed is not a change.
    changes: () => [...changes.values()].filter(({ change, isNew }) => change === "set" || !isNew),
    counts: () => ({ alreadyCorrected, notKept: notKept() }),
    keep: (returned) => {
      for (const [change, row] of matchSourceRows(returned))
        for (const field of change.fields) keepField(change, row, field);
    },
  };
}

function countNotKept(): { readonly refuse: CellKeeper["refuse"]; readonly notKept: () => readonly NotKept[] } {
  const groups = new Map<string, NotKept>();
  return {
    notKept: () => [...groups.values()],
    refuse: (cell, obstacle) => {
      const name = [cell.source, cell.column, obstacle].join("\0");
      const group = groups.get(name);
      groups.set(name, group === undefined ? { ...cell, obstacle, count: 1 } : { ...group, count: group.count + 1 });
    },
  };
}

/** The corrections of a file, and the corrections that will be appended. */
function createCorrectionsInForce(inFile: readonly Correction[]) {
  const byCell = new Map<string, Map<string, Correction>>();
  const apply = ({ change, correction }: NewChange): void => {
    const own = getOrAdd(byCell, cellName(correction), () => new Map<string, Correction>());
    own.delete(identityOf(correction));
    if (change === "set") own.set(identityOf(correction), correction);
  };
  for (const correction of inFile) apply({ change: "set", correction });
  const known = new Set(inFile.map(identityOf));
  return {
    apply,
    isInFile: (identity: string) => known.has(identity),
    /** Returns the corrections that apply to this cell of the row and to its old value, in file order. */
    of: (cell: CellOf, row: Row): readonly Correction[] => {
      const own = [...(byCell.get(cellName(cell))?.values() ?? [])];
      return own.filter(({ rowSha256 }) => rowSha256 === undefined || rowSha256 === rowSha256Of(row));
    },
  };
}

type CellOf = Pick<Correction, "source" | "key" | "column" | "oldSha256">;

/** Returns a string that identifies a cell and its old value. */
export function cellName({ source, key, column, oldSha256 }: CellOf): string {
  return JSON.stringify([source, key, column, oldSha256]);
}
