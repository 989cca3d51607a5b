import { readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { replaceFile } from "../../files/replace-file.ts";
import type { RunProgress } from "../../job/run-progress.ts";
import type { LedgerStore } from "../../ledger/ledger-store.ts";

/**
 * Returns the path of the file in which a run reports its progress for `status`. The file contains no values from the
 * input.
 */
export function progressPath({ folder }: LedgerStore, run: string): string {
  return path.join(folder, "journal", `progress-${run}.json`);
}

/**
 * Replaces the file atomically, but not durably, because the ledger contains all data that must survive a power
 * failure.
 */
export function writeProgress(file: string, progress: RunProgress): Promise<void> {
  return replaceFile(file, `${JSON.stringify(progress)}\n`, { durable: false });
}

export function removeProgress(file: string): void {
  rmSync(file, { force: true });
}

/** Maximum age of a progress file. If the file is older, its process is stuck or has crashed. */
const FRESH_MS = 15_000;

/**
 * Reads the latest progress of a run. Returns undefined if the file is missing, outdated, or from an incompatible
 * version.
 */
export async function readProgress(file: string, now: number): Promise<RunProgress | undefined> {
  // The schema is loaded on demand, because only runs in progress need it.
  const { progressSchema } = await import("./progress-schema.ts");
  try {
    const { data } = progressSchema.safeParse(JSON.parse(readFileSync(file, "utf8")));
    return data !== undefined && now - Date.parse(data.at) <= FRESH_MS ? data : undefined;
  } catch {
    return undefined;
  }
}
