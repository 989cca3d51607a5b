import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { replaceFile } from "../../files/replace-file.ts";
import type { RunProgress } from "../../job/run-progress.ts";
import type { LedgerStore } from "../../ledger/ledger-store.ts";

/** Where a run leaves word of its progress while it is at work, for `status`. Holds no values. */
export function progressPath({ folder }: Pick<LedgerStore, "folder">, run: string): string {
  return path.join(folder, "journal", `progress-${run}.json`);
}

/** Whole or not at all. It may be lost with the power: the ledger knows all that matters. */
export function writeProgress(file: string, progress: RunProgress): Promise<void> {
  return replaceFile(file, `${JSON.stringify(progress)}\n`, { durable: false });
}

export function removeProgress(file: string): void {
  rmSync(file, { force: true });
}

/** Older than this, the process that wrote it is no longer heard of: it is stuck, or on another machine. */
const FRESH_MS = 15_000;

/** The latest word of a run; undefined where there is none, or it is old, or another version wrote it. */
export async function readProgress(file: string, now: number): Promise<RunProgress | undefined> {
  // Loaded for a run that is at work.
  const { progressSchema } = await import("./progress-schema.ts");
  try {
    const { data } = progressSchema.safeParse(JSON.parse(readFileSync(file, "utf8")));
    return data !== undefined && now - Date.parse(data.at) <= FRESH_MS ? data : undefined;
  } catch {
    return undefined;
  }
}
