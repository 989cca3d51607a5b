import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { replaceFile } from "../../files/replace-file.ts";
import type { RunProgress } from "../../job/run-progress.ts";
import type { LedgerStore } from "../../ledger/ledger-store.ts";

/** The file in which a run reports its progress, for `status`. Contains no values. */
export function progressPath({ folder }: LedgerStore, run: string): string {
  return path.join(folder, "journal", `progress-${run}.json`);
}

/** Atomic. The file may be lost on a power failure: the ledger has everything that matters. */
export function writeProgress(file: string, progress: RunProgress): Promise<void> {
  return replaceFile(file, `${JSON.stringify(progress)}\n`, { durable: false });
}

export function removeProgress(file: string): void {
  rmSync(file, { force: true });
}

/** A process with an older progress file is stuck, or on another machine. */
const FRESH_MS = 15_000;

/** The latest progress of a run; undefined if there is none, it is old, or another version wrote it. */
export async function readProgress(file: string, now: number): Promise<RunProgress | undefined> {
  // Loaded only for a run in progress.
  const { progressSchema } = await import("./progress-schema.ts");
  try {
    const { data } = progressSchema.safeParse(JSON.parse(readFileSync(file, "utf8")));
    return data !== undefined && now - Date.parse(data.at) <= FRESH_MS ? data : undefined;
  } catch {
    return undefined;
  }
}
