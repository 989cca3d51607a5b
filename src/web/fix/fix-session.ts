import { randomUUID } from "node:crypto";
import path from "node:path";
import type { Job } from "../../job/job.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { Failure } from "../../model/failure.ts";
import { formatPlace } from "../../model/place.ts";
import type { CorrectionResult } from "../../read/corrections/apply-corrections.ts";
import { plainText } from "../../text/plain-text.ts";
import { createMutex } from "../../time/mutex.ts";
import { editCells, type EditParts, type EditTargets, undoEdit } from "./edits/edit-cells.ts";
import { NO_CELLS } from "./edits/edit-groups.ts";
import type { CellTarget } from "./edits/plan-cells.ts";
import type * as Types from "./fix-types.ts";
import type { Unfinished } from "./session/session-corrections.ts";
import {
  currentRow,
  listedCount,
  rowAt,
  type RowRange,
  rowsChangedSince,
  rowsIn,
  sourcesOf,
  targetsUnder,
  valuesUnder,
} from "./session/session-queries.ts";
import type { WatchedFiles } from "./session/watch-files.ts";

interface Editing {
  readonly edit: (edits: Types.CellEdits, editor: Types.Editor) => Promise<Types.EditedCells>;
  readonly fillDown: (fill: Types.FillDown, editor: Types.Editor) => Promise<Types.EditedCells>;
  readonly replace: (replacement: Types.Replacement, editor: Types.Editor) => Promise<Types.EditedCells>;
  /** Reverts the last edit of the tab that has not been reverted yet. */
  readonly undo: (editor: Types.Editor) => Promise<Types.EditedCells>;
}

/** One check of the project: the rows that need work, and the corrections made since the check. */
export interface FixSession extends Editing {
  readonly overview: () => Types.FixOverview;
  /** @param showValues false returns shapes instead of values */
  readonly rows: (range: RowRange, showValues: boolean) => readonly Types.FixRow[];
  /**
   * Returns the rows with a cause, fixed or not, of the records in which a cell was changed after the change number
   * `seen`, up to a limit.
   */
  readonly changedSince: (seen: number, showValues: boolean) => Types.ChangedRows;
  /** Returns the most frequent values of a column in the open rows that match a filter, with their counts. */
  readonly values: (filter: Types.RowFilter & { readonly column: number }) => Promise<readonly Types.ValueCount[]>;
  /** Returns the complete value of a cell. The grid may show only the start of a long value. */
  readonly value: (row: number, column: number) => string | undefined;
  /** Keeps or reverts the saved cells of the unfinished edit with this time. The edit is then no longer reported. */
  readonly settleUnfinished: (at: string, action: "keep" | "undo") => Promise<Types.EditedCells>;
  /** Applies the corrections of other programs and detects changed files, unless an edit is in progress. */
  readonly refresh: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface StoredSession {
  readonly job: Job;
  readonly files: WatchedFiles;
  readonly resolvedRefusals: number;
  readonly ledgerVersion: string;
}

export function createFixSession(
  { job, files, resolvedRefusals, ledgerVersion }: StoredSession,
  common: EditParts,
  unfinished: Unfinished,
): FixSession {
  let progress: Types.EditProgress | undefined;
  const parts: EditParts = { ...common, onProgress: (done, total) => (progress = { done, total }) };
  const { store, file, causes, changes, log } = parts;
  const { incompleteLine } = log.position();
  const session = randomUUID();
  const inOrder = createMutex();
  const outdated = outdatedCorrections(job);
  let changedFile: string | undefined;
  const look = async (): Promise<void> => {
    changedFile = files.changed() ?? (await job.input.changedFile());
  };
  let editing = 0;
  const edit = async (work: () => Promise<Types.EditedCells>): Promise<Types.EditedCells> => {
    editing += 1;
    const edited = await inOrder(() => work().finally(() => (progress = undefined))).finally(() => (editing -= 1));
    await look();
    return edited;
  };
  return {
    overview: () => ({
      session,
      seq: changes.seq(),
      file: path.basename(file),
      records: changes.counts(),
      resolvedRefusals,
      ledgerVersion,
      sources: sourcesOf(parts, job),
      causes: causes.list(),
      outdated,
      ...definedMembers({ changedFile, progress, unfinished: unfinished.first(), incompleteLine }),
    }),
    rows: (range, showValues) => rowsIn(range, parts, showValues),
    changedSince: (seen, showValues) => rowsChangedSince(seen, parts, showValues),
    values: ({ source, cause, column }) => valuesUnder({ source, cause }, columnOf(parts, source, column), parts),
    value: (id, column) => {
      const found = currentRow(id, parts);
      return found?.textIn(columnOf(parts, found.source, column));
    },
    ...editingOf(parts, edit),
    settleUnfinished: (at, action) => edit(() => unfinished.settle(at, action, parts)),
    refresh: async () => {
      // An edit of many cells takes a long time, and applies the corrections of other programs itself.
      if (editing > 0) return;
      await inOrder(async () => {
        for await (const batch of log.readNew()) await changes.apply(batch, "");
      });
      await look();
    },
    close: () =>
      inOrder(async () => {
        store.close();
        await job.input.close();
      }),
  };
}

/** @param edit runs the work of one edit after all earlier edits have ended */
function editingOf(
  parts: EditParts,
  edit: (work: () => Promise<Types.EditedCells>) => Promise<Types.EditedCells>,
): Editing {
  return {
    edit: ({ cells, ...filter }, editor) =>
      edit(async () => {
        const targets = cells.flatMap(({ position, column, value }) => {
          const row = rowAt(filter, position, parts);
          return row === undefined ? [] : [{ row, column: columnOf(parts, filter.source, column), value }];
        });
        return editCells(listedTargets(targets), editor, parts);
      }),
    fillDown: ({ columns, first, last, ...filter }, editor) =>
      edit(async () => {
        const above = currentRow(rowAt(filter, first, parts) ?? -1, parts);
        if (above === undefined) return NO_CELLS;
        const values = columns.flatMap((index) => {
          const column = columnOf(parts, filter.source, index);
          const value = above.textIn(column);
          return value === undefined ? [] : [{ column, value }];
        });
        const end = Math.min(last, listedCount(filter, parts) - 1);
        const targets = Array.from({ length: Math.max(0, end - first) }, (_, index) => {
          const row = rowAt(filter, first + 1 + index, parts);
          return row === undefined ? [] : values.map((value) => ({ row, ...value }));
        });
        return editCells(listedTargets(targets.flat()), editor, parts);
      }),
    replace: ({ source, cause, column, from, value }, editor) =>
      edit(async () => {
        const wanted = { column: columnOf(parts, source, column), from, value };
        return editCells(targetsUnder({ source, cause }, wanted, parts), editor, parts);
      }),
    undo: ({ tab }) => edit(() => undoEdit({ tab }, parts)),
  };
}

function listedTargets(targets: readonly CellTarget[]): EditTargets {
  const valueBytes = targets.reduce((most, { value }) => Math.max(most, Buffer.byteLength(value ?? "")), 0);
  return { count: targets.length, valueBytes, each: () => targets };
}

/** @throws Failure `usage` if the source has no column with this index */
function columnOf({ rows }: EditParts, source: number, column: number): string {
  const found = rows.sources[source];
  const name = found?.columns[column];
  if (name !== undefined) return name;
  const where = found === undefined ? `source ${source + 1}` : `"${found.spec.name}"`;
  throw new Failure("usage", `there is no column number ${column + 1} in ${where}`, { hint: "reload the page" });
}

const LISTED_OUTDATED = 50;

function outdatedCorrections({ input }: Job): Types.OutdatedCorrections {
  const outdated: CorrectionResult[] = [];
  for (const result of input.corrections?.() ?? []) if (result.state === "outdated") outdated.push(result);
  return {
    count: outdated.length,
    listed: outdated.slice(0, LISTED_OUTDATED).map(({ correction: { line, key, source, column }, place }) => ({
      line,
      key: plainText(key, 120),
      source,
      column,
      place: place === undefined ? "" : formatPlace(place),
    })),
  };
}
