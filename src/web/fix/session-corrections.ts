import { type CorrectionChange, identityOf } from "../../read/corrections/corrections-file.ts";
import { type CorrectionLog, correctionInForce, storeChanges } from "./correction-log.ts";
import { type EditedCells, type EditParts, undoEdit } from "./edit-cells.ts";
import { nextBatch, noteSteps, type Step } from "./edit-steps.ts";
import type { UnfinishedEdit } from "./fix-types.ts";
import type { SessionStore } from "./session-store.ts";
import { noteEdit, readUnfinishedEdit, removeNote } from "./unfinished-edit.ts";

/** The edit that another program has not finished, until it is settled. */
export interface Unfinished {
  readonly present: () => UnfinishedEdit | undefined;
  /** Keeps or reverts its saved cells. */
  readonly settle: (action: "keep" | "undo", parts: EditParts) => Promise<EditedCells>;
}

/** The name of the tab for cells of an unfinished edit. */
const TAB = "unfinished";

interface SessionFile {
  readonly store: SessionStore;
  readonly log: CorrectionLog;
  readonly file: string;
  /** The size of the file, in bytes. */
  readonly size: number;
}

/** Stores the corrections in force, and what an unfinished edit has changed. */
export async function readSessionCorrections(
  { store, log, file, size }: SessionFile,
  seq: () => number,
): Promise<Unfinished> {
  const note = readUnfinishedEdit(file);
  const read = async (end: number, noteBefore?: (changes: readonly CorrectionChange[]) => void): Promise<void> => {
    for await (const changes of log.readNew(end))
      store.transaction(() => {
        noteBefore?.(changes);
        storeChanges(store, changes, seq);
      });
  };
  if (note === undefined) {
    await read(size);
    return unfinished(file, undefined);
  }
  const { source, column, at, by, from, to = size } = note;
  const batch = nextBatch(store);
  let saved = 0;
  await read(from);
  await read(Math.min(to, size), (changes) => {
    const steps = changes.filter(({ correction }) => correction.by === by).map((change) => stepOf(change, store));
    saved += steps.length;
    noteSteps(steps, { batch, tab: TAB }, store);
  });
  await read(size);
  await noteEdit(file, { ...note, to: Math.min(to, size) });
  return unfinished(file, { source, column, at, saved });
}

function stepOf({ change, correction }: CorrectionChange, store: SessionStore): Step {
  const identity = identityOf(correction);
  return {
    identity,
    before: correctionInForce(store, identity),
    after: change === "set" ? correction : undefined,
  };
}

function unfinished(file: string, found: UnfinishedEdit | undefined): Unfinished {
  let present = found;
  return {
    present: () => present,
    settle: async (action, parts) => {
      const done = action === "undo" ? await undoEdit({ tab: TAB }, parts) : { saved: 0, refused: 0, refusals: [] };
      if (present !== undefined) removeNote(file);
      present = undefined;
      return done;
    },
  };
}
