import { appendChanges, type NewChange, planCell } from "../../commands/corrections/change-corrections.ts";
import { Failure } from "../../model/failure.ts";
import type { Row } from "../../model/record.ts";
import { identityOf } from "../../read/corrections/corrections-file.ts";
import { cellText, type Correction, rowHash } from "../../read/corrections/correction.ts";
import type { CorrectionLog } from "./correction-log.ts";
import { correctionInForce } from "./correction-log.ts";
import {
  correctionIn,
  countSteps,
  lastBatch,
  nextBatch,
  noteReverted,
  noteSteps,
  type Step,
  stepsOf,
} from "./edit-steps.ts";
import type { Editor, Refusal } from "./fix-types.ts";
import { lockReason, problemsOf, type ViewParts } from "./row-view.ts";
import { correctionsOfCell, type SessionChanges } from "./session-changes.ts";
import { type StoredRow, storedRow } from "./session-rows.ts";
import type { Found } from "./session-store.ts";
import { noteEdit, removeNote } from "./unfinished-edit.ts";
import { counted } from "../../text/count.ts";

/** A new value for a cell of a stored row. */
export interface CellTarget {
  readonly row: number;
  readonly column: string;
  /** null: the value of the extract. */
  readonly value: string | null;
}

export interface EditParts extends ViewParts {
  readonly changes: SessionChanges;
  readonly log: CorrectionLog;
  /** The corrections file. */
  readonly file: string;
  /** `user@host` */
  readonly by: string;
  readonly now: () => string;
  /** Called before lines are appended. */
  readonly beforeAppend: () => Promise<void>;
  /** Called while an edit of many cells is in progress, with the number of rows or cells done so far and in total. */
  readonly onProgress: (done: number, total: number) => void;
  /** The current rows of the files with these keys; undefined if no file has changed since the check. */
  readonly currentRows: (rows: readonly StoredRow[]) => Promise<CurrentRows | undefined>;
}

/** The current rows of a source with a key. */
export type CurrentRows = (source: number, key: string) => readonly Row[];

export interface EditedCells {
  readonly saved: number;
  readonly refused: number;
  readonly refusals: readonly Refusal[];
}

/** Edits that are saved with one write. Their records are checked before the next ones are saved. */
const GROUP = 1000;
/** Cells that are prepared before other requests are answered. */
const CELLS_PER_TURN = 100;
const LISTED_REFUSALS = 20;

/**
 * Saves new values as corrections, and checks their records. The values are on the disk when this returns. A cell that
 * another tab or program has changed since the editor has seen it is refused.
 * @throws Failure of the corrections file
 */
export async function editCells(
  targets: readonly CellTarget[] | AsyncIterable<CellTarget>,
  { tab, seen }: Editor,
  parts: EditParts,
): Promise<EditedCells> {
  const batch = nextBatch(parts.store);
  return inGroups(grouped(targets), parts, async (group, large) => {
    const planner = createPlanner(parts);
    const refusals: Refusal[] = [];
    await append(parts, tab, async (size) => {
      const stored = group.map((target) => ({ target, ...findRow(target.row, parts) }));
      const present = await parts.currentRows(stored.map(({ row }) => row));
      if (present !== undefined && large !== undefined) throw sourceHasChanged();
      for (const [index, { target, row, found }] of stored.entries()) {
        if (index % CELLS_PER_TURN === CELLS_PER_TURN - 1) await otherRequests();
        const refusal = refusalOf({ target, row, found }, { tab, seen, present }, parts);
        if (refusal !== undefined) refusals.push(refusal);
        else planner.plan(row, target);
      }
      await large?.note(planner.entries()[0], size);
      return planner.entries();
    });
    parts.store.transaction(() => noteSteps(planner.steps(), { batch, tab }, parts.store));
    return { saved: planner.steps().length, refusals };
  });
}
/**
 * Reverts the last edit of a tab that is not reverted yet, with all its cells. A cell that was changed since is refused.
 */
export async function undoEdit({ tab }: Pick<Editor, "tab">, parts: EditParts): Promise<EditedCells> {
  const { store } = parts;
  const batch = lastBatch(tab, store);
  if (batch === undefined) return { saved: 0, refused: 0, refusals: [] };
  const total = countSteps(store, { batch, tab });
  let done = 0;
  return inGroups(stepsOf(store, { batch, tab, size: GROUP }), parts, async (group, large) => {
    parts.onProgress(done, total);
    done += group.length;
    const refusals: Refusal[] = [];
    const entries: NewChange[] = [];
    await append(parts, tab, async (size) => {
      for (const step of group) {
        const after = correctionIn(step, "after");
        const before = correctionIn(step, "before");
        const present = correctionInForce(store, String(step["identity"]));
        const basis = after ?? before;
        if (present?.value !== after?.value || basis === undefined) {
          const [key, column] = [String(step["key"]), String(step["column_name"])];
          refusals.push({ key, column, reason: "edited", message: EDITED });
          continue;
        }
        const author = { by: parts.by, at: parts.now() };
        if (before === undefined)
          entries.push({ change: "unset", correction: { ...basis, ...author, value: "", reason: "" } });
        else entries.push({ change: "set", correction: { ...before, ...author } });
      }
      await large?.note(entries[0], size);
      return entries;
    });
    noteReverted(group, store);
    return { saved: entries.length, refusals };
  });
}

async function* grouped<T>(all: Iterable<T> | AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  let group: T[] = [];
  for await (const each of all) {
    group.push(each);
    if (group.length < GROUP) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** An edit of more than one group, which the program may not finish. */
interface LargeEdit {
  /** Notes the edit before its first line is appended. */
  readonly note: (first: NewChange | undefined, size: number) => Promise<void>;
}

/**
 * Does an edit group by group.
 * @throws the errors of the work; a Failure names the number of cells that were saved before
 */
async function inGroups<T>(
  groups: Iterable<readonly T[]> | AsyncIterable<readonly T[]>,
  { file, by, now }: Pick<EditParts, "file" | "by" | "now">,
  work: (group: readonly T[], large: LargeEdit | undefined) => Promise<Pick<EditedCells, "saved" | "refusals">>,
): Promise<EditedCells> {
  const listed: Refusal[] = [];
  let [saved, refused] = [0, 0];
  let isNoted = false;
  const note: LargeEdit["note"] = async (first, from) => {
    if (isNoted || first === undefined) return;
    isNoted = true;
    const { source, column } = first.correction;
    await noteEdit(file, { source, column, at: now(), by, from });
  };
  let large: LargeEdit | undefined;
  try {
    for await (const group of groups) {
      if (group.length === GROUP) large = { note };
      const done = await work(group, large);
      saved += done.saved;
      refused += done.refusals.length;
      listed.push(...done.refusals.slice(0, LISTED_REFUSALS - listed.length));
    }
  } catch (error) {
    throw saved > 0 && error instanceof Failure ? partlyDone(error, saved) : error;
  } finally {
    if (isNoted) removeNote(file);
  }
  return { saved, refused, refusals: listed };
}

function partlyDone({ code, message, hint, place }: Failure, saved: number): Failure {
  return new Failure(code, `${counted(saved, "cell")} saved, then: ${message}`, { hint, place });
}

function sourceHasChanged(): Failure {
  return new Failure("source_changed", "a source file has changed since the check", {
    hint: "check again before you change so many cells",
  });
}

function otherRequests(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Appends lines to the file. First applies the lines of other programs, so that `decide` sees them. */
async function append(
  { file, log, changes, beforeAppend }: EditParts,
  tab: string,
  decide: (size: number) => Promise<readonly NewChange[]>,
): Promise<void> {
  let entries: readonly NewChange[] = [];
  const size = await appendChanges(file, async (before) => {
    for await (const batch of log.readNew(before)) await changes.apply(batch, "");
    entries = await decide(before);
    if (entries.length > 0) await beforeAppend();
    return entries;
  });
  if (entries.length === 0) return;
  log.skipTo(size);
  await changes.apply(
    entries.map(({ change, correction }) => ({ change, correction: { ...correction, line: 0 } })),
    tab,
  );
}

function findRow(id: number, { store, rows }: EditParts): { readonly row: StoredRow; readonly found: Found } {
  const found = store.one("select * from row where id = ?", id);
  if (found === undefined) throw new Error(`There is no row ${id}.`);
  return { found, row: storedRow(found, rows) };
}

const EDITED = "Another tab or user has changed this cell in the meantime. Look at the new value, and edit it again.";

function refusalOf(
  { target, row, found }: { readonly target: CellTarget; readonly row: StoredRow; readonly found: Found },
  { tab, seen, present }: Editor & { readonly present: CurrentRows | undefined },
  { store, rows }: EditParts,
): Refusal | undefined {
  const { column } = target;
  const about = { key: row.key ?? "", column };
  const locked = lockReason(row, problemsOf(found), rows);
  if (locked !== undefined) return { ...about, reason: "locked", message: locked };
  const old = cellText(row.original, column);
  if (old === undefined) return { ...about, reason: "locked", message: NO_PLACE };
  const touched = store.one("select seq, tab from touched where row = ? and column_name = ?", row.id, column);
  if (touched !== undefined && Number(touched["seq"]) > seen && touched["tab"] !== tab)
    return { ...about, reason: "edited", message: EDITED };
  if (present !== undefined && !isThere(row, column, present(row.source, row.key ?? "")))
    return { ...about, reason: "source_changed", message: CHANGED };
  return undefined;
}

const NO_PLACE = "This row has no place for a value of this column. Correct the file.";

const CHANGED = "The value of this cell in the file has changed since the check. Check again to see the new value.";

/** Whether the cell still has its old value in exactly one row with the key, or in the same row as before. */
function isThere({ original }: StoredRow, column: string, present: readonly Row[]): boolean {
  const old = cellText(original, column);
  const candidates = present.filter((row) => cellText(row, column) === old);
  return candidates.length === 1 || candidates.some((row) => rowHash(row) === rowHash(original));
}

interface Planner {
  readonly plan: (row: StoredRow, target: CellTarget) => void;
  readonly entries: () => readonly NewChange[];
  readonly steps: () => readonly Step[];
}

/** Converts new values to lines of the file. */
function createPlanner(parts: EditParts): Planner {
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
      const author = { by: parts.by, at: parts.now(), reason: REASON };
      const cell = { key: row.key ?? "", source: sourceName(row, parts), column, value, ...author };
      const context = { others: () => othersOf(row, parts), inForce: correctionsOfCell(row, column, parts) };
      for (const { entry, before } of planCell(cell, row.original, context)) add(entry, before);
    },
  };
}

/** The reason in the file for corrections made on the page. */
const REASON = "migrate web";

function sourceName({ source }: StoredRow, { rows }: EditParts): string {
  return rows.sources[source]?.spec.name ?? "";
}

/** The other rows of the source with the same key, as in the file. */
function othersOf({ id, source, key = "", original }: StoredRow, { store, rows }: EditParts): readonly Row[] {
  const pointer = "pointer" in original ? original.pointer : "";
  const place = `${original.table.file} ${original.line} ${pointer}`;
  const stored = store.all("select * from row where source = ? and key = ? and id <> ?", source, key, id);
  const siblings = store.all("select * from sibling where source = ? and key = ?", source, key);
  return [...stored, ...siblings]
    .map((found) => rows.plainRow(found, found["original"]))
    .filter((row) => `${row.table.file} ${row.line} ${"pointer" in row ? row.pointer : ""}` !== place);
}
