import { rmSync } from "node:fs";
import { identityOf } from "../../../read/corrections/correction.ts";
import { type CorrectionChange } from "../../../read/corrections/corrections-file.ts";
import { type CorrectionLog, correctionInForce, storeChanges } from "../edits/correction-log.ts";
import { type EditParts, undoEdit } from "../edits/edit-cells.ts";
import { NO_CELLS } from "../edits/edit-groups.ts";
import { countSteps, forgetChangedSteps, nextBatch, noteSteps, type Step } from "../edits/edit-steps.ts";
import { readUnfinishedEdits } from "../edits/unfinished-edit.ts";
import type { EditedCells, UnfinishedEdit } from "../fix-types.ts";
import type { SessionStore } from "./session-store.ts";

/** The edits that ended programs left incomplete, and that the user has neither kept nor reverted yet. */
export interface Unfinished {
  readonly first: () => UnfinishedEdit | undefined;
  /** Keeps or reverts the saved cells of the edit with this time. */
  readonly settle: (at: string, action: "keep" | "undo", parts: EditParts) => Promise<EditedCells>;
}

interface SessionFile {
  readonly store: SessionStore;
  readonly log: CorrectionLog;
  readonly file: string;
  /** The size of the file, in bytes. */
  readonly size: number;
}

/** Stores the corrections in force and the steps of unfinished edits. Returns the unfinished edits. */
export async function readSessionCorrections(
  { store, log, file, size }: SessionFile,
  seq: () => number,
): Promise<Unfinished> {
  const firstBatch = nextBatch(store);
  // The path of the note identifies the edit, as a tab does for other edits.
  const edits = readUnfinishedEdits(file).map((note, index) => ({
    ...note,
    batch: firstBatch + index,
    tab: note.noteFile,
  }));
  for await (const changes of log.readNew(size))
    store.transaction(() => {
      for (const change of changes) {
        const { by, at } = change.correction;
        const edit = edits.find((each) => each.by === by && each.at === at);
        if (edit !== undefined) noteSteps([stepOf(change, store)], edit, store);
        storeChanges(store, [change], seq);
      }
    });
  return unfinished(
    edits.map(({ source, column, at, batch, tab }) => {
      forgetChangedSteps(store, { batch, tab });
      return { edit: { source, column, at, saved: countSteps(store, { batch, tab }) }, noteFile: tab };
    }),
  );
}

function stepOf({ change, correction }: CorrectionChange, store: SessionStore): Step {
  const identity = identityOf(correction);
  return {
    identity,
    before: correctionInForce(store, identity),
    after: change === "set" ? correction : undefined,
  };
}

function unfinished(found: readonly { readonly edit: UnfinishedEdit; readonly noteFile: string }[]): Unfinished {
  let open = found;
  return {
    first: () => open[0]?.edit,
    settle: async (at, action, parts) => {
      const settled = open.find(({ edit }) => edit.at === at);
      if (settled === undefined) return NO_CELLS;
      const { noteFile } = settled;
      const done = action === "undo" ? await undoEdit({ tab: noteFile, isNoted: true }, parts) : NO_CELLS;
      rmSync(noteFile, { force: true });
      open = open.filter((each) => each !== settled);
      return done;
    },
  };
}
