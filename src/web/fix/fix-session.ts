import { randomUUID } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { fieldTitleAt } from "../../contract/types/type-tree.ts";
import { pathsFrom } from "../../job/contract-files.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import { type Job, openJob } from "../../job/job.ts";
import type { JobSettings } from "../../job/settings/job-settings.ts";
import { parseAttr } from "../../json/attr.ts";
import { definedMembers } from "../../json/defined-members.ts";
import { Failure } from "../../model/failure.ts";
import { formatPlace } from "../../model/place.ts";
import { cellText } from "../../read/corrections/correction.ts";
import { plainText } from "../../text/plain-text.ts";
import { timestamp } from "../../time/clock.ts";
import { createMutex } from "../../time/mutex.ts";
import { buildSession } from "./build-session.ts";
import { createAmend, createRecordCheck } from "./check-record.ts";
import { correctionsOfKey, followCorrections } from "./correction-log.ts";
import { editCells, type EditedCells, type EditParts, undoEdit } from "./edit-cells.ts";
import type * as Types from "./fix-types.ts";
import { readRefusals } from "./platform-refusals.ts";
import { readCurrentRows } from "./current-rows.ts";
import { createSessionCauses } from "./session-causes.ts";
import { createSessionChanges } from "./session-changes.ts";
import {
  presentRow,
  rowAt,
  type RowRange,
  rowsChangedSince,
  rowsIn,
  sourcesOf,
  targetsUnder,
  valuesUnder,
} from "./session-queries.ts";
import { createSessionRows } from "./session-rows.ts";
import { openSessionStore, type SessionStore } from "./session-store.ts";
import { readSessionCorrections, type Unfinished } from "./session-corrections.ts";
import { removeTornLine } from "./unfinished-edit.ts";
import { watchFiles, type WatchedFiles } from "./watch-files.ts";

/** A check of the project, with the rows that need work and the corrections made since. */
export interface FixSession {
  readonly overview: () => Types.FixOverview;
  /** @param showValues false: shapes instead of values */
  readonly rows: (range: RowRange, showValues: boolean) => readonly Types.FixRow[];
  /** Rows with cells that were changed after `seen`. */
  readonly changedSince: (seen: number, showValues: boolean) => Pick<Types.FixChanges, "rows" | "hasMoreRows">;
  /** The distinct values of a column under a filter, most frequent first. */
  readonly values: (filter: Types.RowFilter & { readonly column: number }) => Promise<readonly Types.ValueCount[]>;
  /** The whole value of a cell. */
  readonly value: (row: number, column: number) => string | undefined;
  readonly edit: (edits: Types.CellEdits, editor: Types.Editor) => Promise<EditedCells>;
  readonly fillDown: (fill: Types.FillDown, editor: Types.Editor) => Promise<EditedCells>;
  readonly replace: (replacement: Types.Replacement, editor: Types.Editor) => Promise<EditedCells>;
  readonly undo: (editor: Pick<Types.Editor, "tab">) => Promise<EditedCells>;
  /** Keeps or reverts the saved cells of an unfinished edit, which is then no longer reported. */
  readonly settleUnfinished: (action: "keep" | "undo") => Promise<EditedCells>;
  /** Reads corrections that other programs have made. */
  readonly refresh: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface FixSessionOptions {
  readonly job: JobSettings;
  /** Locator of the ledger with the refusals of the platform. */
  readonly ledger: string;
  /** Path of the configuration file. */
  readonly configFile?: string | undefined;
  /** Adds the corrections file to the configuration, if it names none. */
  readonly configure: (file: string) => Promise<void>;
  /** `user@host` */
  readonly by: string;
}

export type FixDependencies = Pick<Dependencies, "clock" | "temporaryFolder" | "drain" | "notice" | "contractCache"> & {
  readonly onChecked: (progress: { readonly records: number; readonly invalid: number }) => void;
};

/** The corrections file if the configuration names none: the first one that does not exist. */
const DEFAULT_FILES = ["corrections.csv", "web-corrections.csv"];

/**
 * Checks the project and opens a session with the rows that need work.
 * @throws Failure of `validate`, and `storage`
 */
export async function openFixSession(options: FixSessionOptions, dependencies: FixDependencies): Promise<FixSession> {
  const { job: settings } = options;
  const file = fileOf(options);
  await removeTornLine(file);
  const files = watchFiles(settings, options.configFile);
  const { job, size } = await openUnchanged(settings, file, dependencies);
  let store: SessionStore | undefined;
  try {
    store = openSessionStore(dependencies.temporaryFolder);
    return await fill({ options, job, store, file, size, files }, dependencies);
  } catch (error) {
    store?.close();
    await job.input.close();
    throw error;
  }
}

/**
 * The corrections file; by default a new file in the folder of the configuration.
 * @throws Failure `config` if files with these names exist that the configuration does not use
 */
function fileOf({ job: { folder, corrections }, configFile }: FixSessionOptions): string {
  const resolve = pathsFrom(folder);
  if (corrections !== undefined) return resolve(corrections);
  const home = configFile === undefined ? folder : path.dirname(resolve(configFile));
  const free = DEFAULT_FILES.find((name) => !existsSync(path.join(home, name)));
  if (free !== undefined) return path.join(home, free);
  throw new Failure("config", `${DEFAULT_FILES.join(" and ")} exist, but the configuration does not use them`, {
    hint: "name the corrections file in migrate.yaml, for example `corrections: fixes.csv`",
  });
}

/** Opens the job, and returns the size of the corrections file that it has read. */
async function openUnchanged(
  settings: JobSettings,
  file: string,
  dependencies: FixDependencies,
): Promise<{ readonly job: Job; readonly size: number }> {
  for (;;) {
    const size = sizeOf(file);
    const corrections = size === 0 ? undefined : settings.corrections;
    const job = await openJob({ ...settings, corrections }, { ...dependencies, notice: () => undefined });
    if (sizeOf(file) === size) return { job, size };
    await job.input.close();
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

interface Opened {
  readonly options: FixSessionOptions;
  readonly job: Job;
  readonly store: SessionStore;
  readonly file: string;
  readonly size: number;
  readonly files: WatchedFiles;
}

async function fill(opened: Opened, dependencies: FixDependencies): Promise<FixSession> {
  const { options, job, store, file, size, files } = opened;
  const rows = createSessionRows(job);
  const causes = createSessionCauses((attr) => job.operation.body && fieldTitleAt(job.operation.body, parseAttr(attr)));
  const log = followCorrections(file);
  let firstSeq = 0;
  const unfinished = await readSessionCorrections({ store, log, file, size }, () => (firstSeq += 1));
  const refusals = await readRefusals(options.ledger, store, rows);
  await buildSession({ job, store, rows, causes, refusals }, dependencies);
  const correctionsOf: Parameters<typeof createAmend>[1] = ({ source, key }) =>
    key === undefined ? [] : correctionsOfKey(store, rows.sources[source]?.spec.name ?? "", key);
  const check = createRecordCheck({ job, rows, correctionsOf });
  const parts: EditParts = {
    store,
    rows,
    causes,
    log,
    file,
    by: options.by,
    amend: createAmend(job, correctionsOf, rows),
    changes: createSessionChanges({ store, rows, causes, check, firstSeq }),
    now: () => timestamp(dependencies.clock),
    currentRows: async (stored) =>
      (await files.changed(job.input)) === undefined
        ? undefined
        : readCurrentRows(job.settings, stored, { dependencies, rows }),
    beforeAppend: configureOnce(opened),
    onProgress: () => undefined,
  };
  return sessionOf(opened, parts, unfinished);
}

/** Adds the corrections file to the configuration before the first correction, if it names none. */
function configureOnce({ options, file, files }: Opened): () => Promise<void> {
  let isConfigured = options.job.corrections !== undefined;
  return async () => {
    if (isConfigured) return;
    await options.configure(path.basename(file));
    files.noteConfiguration();
    isConfigured = true;
  };
}

function sessionOf({ job, store, file, files }: Opened, common: EditParts, unfinished: Unfinished): FixSession {
  let progress: Types.EditProgress | undefined;
  const parts: EditParts = { ...common, onProgress: (done, total) => (progress = { done, total }) };
  const { causes, changes, log } = parts;
  const session = randomUUID();
  const inOrder = createMutex();
  const outdated = outdatedCorrections(job);
  let changedFile: string | undefined;
  const look = async (): Promise<void> => {
    changedFile = await changedFileOf(files, job);
  };
  let editing = 0;
  const edit = async (work: () => Promise<EditedCells>): Promise<EditedCells> => {
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
      sources: sourcesOf(parts, job),
      causes: causes.list(),
      outdated,
      ...definedMembers({ changedFile, progress, unfinished: unfinished.present() }),
    }),
    rows: (range, showValues) => rowsIn(range, parts, showValues),
    changedSince: (seen, showValues) => rowsChangedSince(seen, parts, showValues),
    values: ({ source, cause, column }) => valuesUnder({ source, cause }, columnOf(parts, source, column), parts),
    value: (id, column) => {
      const found = presentRow(id, parts);
      return found && cellText(found.row, columnOf(parts, found.source, column));
    },
    ...editingOf(parts, edit),
    settleUnfinished: (action) => edit(() => unfinished.settle(action, parts)),
    refresh: async () => {
      // An edit of many cells takes long, and reads these corrections, too.
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

/** The name of a changed source, or what has changed in the setup. */
function changedFileOf(files: WatchedFiles, { input }: Job): Promise<string | undefined> {
  return files.changed(input).catch((error: unknown) => {
    if (error instanceof Failure && error.code === "source_changed") return error.message;
    throw error;
  });
}

type Editing = Pick<FixSession, "edit" | "fillDown" | "replace" | "undo">;

/** @param edit does the work of one edit, after the edits before it */
function editingOf(parts: EditParts, edit: (work: () => Promise<EditedCells>) => Promise<EditedCells>): Editing {
  return {
    edit: ({ cells, ...filter }, editor) =>
      edit(async () => {
        const targets = cells.flatMap(({ position, column, value }) => {
          const row = rowAt(filter, position, parts);
          return row === undefined ? [] : [{ row, column: columnOf(parts, filter.source, column), value }];
        });
        return editCells(targets, editor, parts);
      }),
    fillDown: ({ columns, first, last, ...filter }, editor) =>
      edit(async () => {
        const above = presentRow(rowAt(filter, first, parts) ?? -1, parts);
        if (above === undefined) return { saved: 0, refused: 0, refusals: [] };
        const values = columns.map((column) => {
          const name = columnOf(parts, filter.source, column);
          return { column: name, value: cellText(above.row, name) ?? "" };
        });
        const targets = Array.from({ length: Math.max(0, last - first) }, (_, index) => {
          const row = rowAt(filter, first + 1 + index, parts);
          return row === undefined ? [] : values.map((value) => ({ row, ...value }));
        });
        return editCells(targets.flat(), editor, parts);
      }),
    replace: ({ source, cause, column, from, value }, editor) =>
      edit(async () => {
        const wanted = { column: columnOf(parts, source, column), from, value };
        return editCells(targetsUnder({ source, cause }, wanted, parts), editor, parts);
      }),
    undo: (editor) => edit(() => undoEdit(editor, parts)),
  };
}

/** @throws Failure `usage` */
function columnOf({ rows }: EditParts, source: number, column: number): string {
  const name = rows.sources[source]?.columns[column];
  if (name === undefined) throw new Failure("usage", "there is no such column");
  return name;
}

const LISTED_OUTDATED = 50;

function outdatedCorrections({ input }: Job): Types.OutdatedCorrections {
  const outdated = (input.corrections?.() ?? []).filter(({ state }) => state === "outdated");
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
