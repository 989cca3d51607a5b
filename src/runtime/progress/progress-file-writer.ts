import { unlessFailing } from "../../files/error-code.ts";
import type { RunProgress } from "../../job/run-progress.ts";
import { removeProgress, writeProgress } from "../../pipeline/run/progress-file.ts";

/** Maintains the file from which `status` reads the progress of an active run. */
export interface ProgressFile {
  readonly begin: (file: string) => void;
  /** Writes at most once per second. Ignores errors, because the ledger has all essential data. */
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
    // If the run ended during the write, the file must not remain.
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

/** Readers recognise an outdated file, so a failure has no effect. */
function removeIfPossible(file: string): void {
  unlessFailing(() => removeProgress(file));
}
