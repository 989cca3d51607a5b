import type { RunProgress } from "../../job/run-progress.ts";
import { removeProgress, writeProgress } from "../../pipeline/run/progress-file.ts";

/** Keeps the word that `status` reads of a run in its file, while the run lasts. */
export interface ProgressFile {
  readonly begin: (file: string) => void;
  /** Written once a second at most. What cannot be written is left: the ledger knows all that matters. */
  readonly write: (progress: () => RunProgress) => void;
  readonly end: () => void;
}

const WRITE_EVERY_MS = 1000;

export function createProgressFile(now: () => number): ProgressFile {
  let file: string | undefined;
  let writtenAt = Number.NEGATIVE_INFINITY;
  let isWriting = false;

  const write = async (to: string, progress: RunProgress): Promise<void> => {
    isWriting = true;
    await writeProgress(to, progress).catch(() => undefined);
    isWriting = false;
    // It ended meanwhile.
    if (file !== to) removeIfPossible(to);
  };
  return {
    begin(path) {
      file = path;
    },
    write(progress) {
      if (file === undefined || isWriting || now() - writtenAt < WRITE_EVERY_MS) return;
      writtenAt = now();
      void write(file, progress());
    },
    end() {
      if (file !== undefined) removeIfPossible(file);
      file = undefined;
    },
  };
}

function removeIfPossible(file: string): void {
  try {
    removeProgress(file);
  } catch {
    // A file that is left is taken for old.
  }
}
