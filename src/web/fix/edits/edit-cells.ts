import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import {
  appendChanges,
  hasRoom,
  type NewChange,
  requireRoom,
} from "../../../commands/corrections/change-corrections.ts";
import { Failure } from "../../../model/failure.ts";
import type { EditedCells, Editor, Refusal } from "../fix-types.ts";
import type { ViewParts } from "../session/row-view.ts";
import type { SessionChanges } from "../session/session-changes.ts";
import type { StoredRow } from "../session/session-rows.ts";
import type { Found } from "../session/session-store.ts";
import { type CorrectionLog, correctionInForce } from "./correction-log.ts";
import { GROUP_SIZE, grouped, inGroups, isLargeEdit, NO_CELLS } from "./edit-groups.ts";
import { correctionIn, countSteps, lastBatch, nextBatch, noteReverted, noteSteps, stepsOf } from "./edit-steps.ts";
import {
  type Author,
  type CellTarget,
  createPlanner,
  type CurrentRows,
  EDITED,
  refusalOf,
  storedCell,
} from "./plan-cells.ts";

export interface EditParts extends ViewParts {
  readonly changes: SessionChanges;
  readonly log: CorrectionLog;
  /** The corrections file. */
  readonly file: string;
  /** The person who makes the edits: `MIGRATE_OPERATOR`, or `user@host`. */
  readonly by: string;
  readonly now: () => string;
  readonly beforeAppend: () => Promise<void>;
  /** Called during an edit of many cells, with the number of rows or cells done so far and the total. */
  readonly onProgress: (done: number, total: number) => void;
  /**
   * Reads from the current files the rows that have the same keys as `rows`; undefined if no file has changed since the
   * check.
   * @throws Failure `source_changed` if the contract, the mapping or the configuration has changed
   */
  readonly currentRows: (rows: readonly StoredRow[]) => Promise<CurrentRows | undefined>;
}

/** The cells that an edit changes. */
export interface EditTargets {
  /** An upper bound for the number of cells. */
  readonly count: number;
  /** The length of the longest new value, in bytes. */
  readonly valueBytes: number;
  readonly each: () => Iterable<CellTarget> | AsyncIterable<CellTarget>;
}

/** Number of cells to prepare before yielding to other requests. */
const CELLS_PER_TURN = 100;

/**
 * Saves new values as corrections and checks their records. The values are on disk when the promise resolves. Refuses a
 * cell in three cases: it is locked, another tab or program has changed it since the tab last read the session, or its
 * value in the extract has changed.
 * @throws Failure if the corrections file cannot be read or written, or if a source changes before a large edit ends
 */
export async function editCells(targets: EditTargets, { tab, seen }: Editor, parts: EditParts): Promise<EditedCells> {
  const batch = nextBatch(parts.store);
  const author = { by: parts.by, at: parts.now() };
  await requireRoomFor(targets, author, parts);
  return inGroups(grouped(targets.each()), parts, async (group, note) => {
    const planner = createPlanner(parts, author);
    const refusals: Refusal[] = [];
    await append(parts, tab, async () => {
      const stored = group.map((target) => storedCell(target, parts));
      const current = await parts.currentRows(stored.map(({ row }) => row));
      if (current !== undefined && note !== undefined) throw sourceHasChanged();
      for (const [index, cell] of stored.entries()) {
        if (index % CELLS_PER_TURN === CELLS_PER_TURN - 1) await yieldToEventLoop();
        const refusal = refusalOf(cell, { tab, seen, current }, parts);
        if (refusal !== undefined) refusals.push(refusal);
        else planner.plan(cell.row, cell.target);
      }
      await note?.(planner.entries()[0]);
      return planner.entries();
    });
    parts.store.transaction(() => noteSteps(planner.steps(), { batch, tab }, parts.store));
    return { saved: planner.steps().length, refusals };
  });
}

interface UndoOptions {
  readonly tab: string;
  /** Whether the edit already has a note. The note remains until all cells are reverted. */
  readonly isNoted?: boolean;
}

/**
 * Reverts all cells of the tab's last edit that has not been reverted yet. Refuses a cell that has changed since the
 * edit.
 */
export async function undoEdit({ tab, isNoted = false }: UndoOptions, parts: EditParts): Promise<EditedCells> {
  const { store, file } = parts;
  const batch = lastBatch(tab, store);
  if (batch === undefined) return NO_CELLS;
  const author = { by: parts.by, at: parts.now() };
  const total = countSteps(store, { batch, tab });
  const groups = (): Iterable<readonly Found[]> => stepsOf(store, { batch, tab }, GROUP_SIZE);
  const revert = (steps: readonly Found[]): readonly NewChange[] => steps.flatMap((step) => reverting(step, author));
  if (isLargeEdit(total)) await requireRoom(file, inTurns(groups(), revert));
  let done = 0;
  return inGroups(groups(), { file, isNoted }, async (group, note) => {
    parts.onProgress(done, total);
    done += group.length;
    const refusals: Refusal[] = [];
    let entries: readonly NewChange[] = [];
    await append(parts, tab, async () => {
      const [unchanged, changed] = [new Array<Found>(), new Array<Found>()];
      for (const step of group) (isAsEdited(step, parts) ? unchanged : changed).push(step);
      for (const { key, column_name: column } of changed)
        refusals.push({ key: String(key), column: String(column), reason: "edited", message: EDITED });
      entries = revert(unchanged);
      await note?.(entries[0]);
      return entries;
    });
    noteReverted(group, store);
    return { saved: entries.length, refusals };
  });
}

async function* inTurns<T, U>(all: Iterable<T>, convert: (each: T) => U): AsyncGenerator<U> {
  for (const each of all) {
    yield convert(each);
    await yieldToEventLoop();
  }
}

/** Returns the lines that revert a step. */
function reverting(step: Found, author: Author): readonly NewChange[] {
  const before = correctionIn(step, "before");
  const basis = before ?? correctionIn(step, "after");
  if (before !== undefined) return [{ change: "set", correction: { ...before, ...author } }];
  return basis === undefined ? [] : [{ change: "unset", correction: { ...basis, ...author, value: "", reason: "" } }];
}

/** Whether the cell of a step still has the value that the edit gave it. */
function isAsEdited(step: Found, { store }: EditParts): boolean {
  return correctionInForce(store, String(step["identity"]))?.value === correctionIn(step, "after")?.value;
}

/**
 * Refuses an entire large edit if the corrections file has no room for its lines.
 * @throws Failure `usage`
 */
async function requireRoomFor(
  { count, valueBytes, each }: EditTargets,
  author: Author,
  parts: EditParts,
): Promise<void> {
  if (!isLargeEdit(count)) return;
  const { store, rows, file, by } = parts;
  const { longest } = store.one("select max(length(cast(key as blob))) as longest from row") ?? {};
  const names = rows.sources
    .flatMap(({ spec, columns }) => [spec.name, ...columns])
    .map((name) => Buffer.byteLength(name));
  const texts = Number(longest ?? 0) + valueBytes + 2 * Math.max(0, ...names) + Buffer.byteLength(by);
  // A quotation mark in a cell is written twice.
  if (hasRoom(file, count * (2 * texts + OTHER_BYTES))) return;
  const planned = async function* (): AsyncGenerator<readonly NewChange[]> {
    for await (const group of grouped(each())) {
      const planner = createPlanner(parts, author);
      for (const target of group) planner.plan(storedCell(target, parts).row, target);
      yield planner.entries();
      await yieldToEventLoop();
    }
  };
  await requireRoom(file, planned());
}

/** The maximum total size of the hashes, time, reason, change, delimiters and quotation marks in a line, in bytes. */
const OTHER_BYTES = 220;

function sourceHasChanged(): Failure {
  return new Failure("source_changed", "a source file has changed since the check", {
    hint: "check again, then repeat the edit",
  });
}

/**
 * Appends lines to the corrections file. Applies lines from other programs first, so that `decide` can consider them.
 */
async function append(
  { file, log, changes, beforeAppend }: EditParts,
  tab: string,
  decide: () => Promise<readonly NewChange[]>,
): Promise<void> {
  let entries: readonly NewChange[] = [];
  const size = await appendChanges(file, async (before) => {
    for await (const batch of log.readNew(before)) await changes.apply(batch, "");
    entries = await decide();
    if (entries.length > 0) await beforeAppend();
    return { changes: entries, end: log.position().end };
  });
  if (entries.length === 0) return;
  await log.skipTo(size);
  await changes.apply(
    entries.map(({ change, correction }) => ({ change, correction: { ...correction, line: 0 } })),
    tab,
  );
}
