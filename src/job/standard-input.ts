import { createHash } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerStore } from "../ledger/ledger-store.ts";
import { type JobSettings, mapSources } from "./settings/job-settings.ts";
import type { StandardInputEnvironment } from "./dependencies.ts";
import { settingsOf } from "./settings/recorded-settings.ts";

/**
 * If `-` is a source, copies standard input to a private file in the folder, and returns settings with this file as the
 * source. The copy is needed because a run reads its input more than once, and a resumed push reads it in another
 * process.
 */
export async function withStandardInput(
  job: JobSettings,
  folder: string,
  { copyStandardInput }: StandardInputEnvironment,
): Promise<JobSettings> {
  if (!readsStandardInput(job)) return job;
  const standardInput = path.resolve(await copyStandardInput(folder));
  return { ...job, standardInput, ...mapSources(job, (file) => (file === "-" ? standardInput : file)) };
}

/** Whether `-` is a source. */
export function readsStandardInput({ sources, namedSources }: JobSettings): boolean {
  return [...sources, ...Object.values(namedSources).flat()].includes("-");
}

/**
 * Returns the folder in which pushes keep copies of standard input until no run needs them. Ledgers that share a local
 * folder have separate folders for copies, because a ledger does not know which copies the runs of other ledgers need.
 */
export function standardInputFolder({ folder, name, server }: Pick<LedgerStore, "folder" | "name" | "server">): string {
  const ledger = createHash("sha256").update(server ?? path.basename(name));
  return path.join(folder, "input", ledger.digest("hex").slice(0, 12));
}

/**
 * Removes the ledger's copies of standard input that no run needs any more, because they contain personal data. Callers
 * must hold the ledger's lock.
 */
export async function removeUnneededInput(store: LedgerStore, ledger: Ledger): Promise<void> {
  const folder = standardInputFolder(store);
  const copies = await readdir(folder).catch(() => []);
  if (copies.length === 0) return;
  const resumable = (await ledger.runs()).filter(({ exitCode, dryRun }) => !dryRun && !FINAL_EXIT_CODES.has(exitCode));
  const needed = new Set(resumable.map((run) => settingsOf(run).job.standardInput));
  for (const name of copies) {
    const copy = path.resolve(folder, name);
    if (!needed.has(copy)) await rm(copy, { force: true });
  }
}

/** Exit codes of runs that cannot be resumed, because their records are settled or their input is unusable. */
const FINAL_EXIT_CODES: ReadonlySet<number | undefined> = new Set([0, 1, 2]);
