import path from "node:path";
import type { Job } from "../../job/job.ts";
import { settingsIfKnown } from "../../job/settings/recorded-settings.ts";
import type { PlanLedger } from "../../ledger/packed/plan-ledger.ts";
import type { Run } from "../../ledger/records/run.ts";
import type { RowName, RowWithoutKey } from "../../ledger/records/planned-item.ts";
import { rowHash } from "../../ledger/records/row-hash.ts";

/**
 * Finds the rows without a key that this plan closes: rows that earlier pushes left open, and that this run has read
 * again. These are the open rows of a file whose path is also in this input, the open rows whose cells equal those of a
 * row in this input, and the exported rows of re-imported rejects. If such a row still has no key or no parent, it is
 * now open in this run instead. Also returns the exported records that are re-imported with changed keys. The list is
 * empty if the run reads only some of the records.
 * @returns undefined if the signal has been aborted in the meantime
 */
export async function supersededRows(
  { input, settings: { only, limit, folder } }: Job,
  { ledger, run }: { readonly ledger: PlanLedger; readonly run: Run },
  signal: AbortSignal,
): Promise<readonly RowName[] | undefined> {
  if (only !== undefined || limit !== undefined) return [];
  const open = (await ledger.earlierWithoutKey?.(run.id)) ?? [];
  const files = new Set(input.files.map(({ file }) => path.resolve(folder, file)));
  const folders = await foldersOf(new Set(open.map((row) => row.run)), ledger);
  const isReplaced = ({ run: earlier, record, file }: RowWithoutKey): boolean => {
    const from = folders.get(earlier);
    return (from !== undefined && files.has(path.resolve(from, file))) || input.hasReturned?.(earlier, record) === true;
  };
  const wanted = new Set(open.flatMap((row) => (isReplaced(row) ? [] : (row.rowHash ?? []))));
  const found = await findHashes(input, wanted, signal);
  if (signal.aborted) return undefined;
  const superseded = open.filter((row) => isReplaced(row) || (row.rowHash !== undefined && found.has(row.rowHash)));
  return [...superseded, ...(input.keyChanged ?? [])];
}

/** Returns the folder in which each run started, by run id. The file names of a run are relative to this folder. */
async function foldersOf(runs: ReadonlySet<string>, ledger: PlanLedger): Promise<ReadonlyMap<string, string>> {
  const folders = new Map<string, string>();
  for (const id of runs) {
    const run = await ledger.findRun(id);
    const settings = run && settingsIfKnown(run);
    if (settings !== undefined) folders.set(id, settings.job.folder);
  }
  return folders;
}

/** Returns the wanted hashes that match rows of the input. Reads the input again unless `wanted` is empty. */
async function findHashes(
  input: Job["input"],
  wanted: ReadonlySet<number>,
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  if (wanted.size === 0) return found;
  for await (const { rows } of input.rowsByFile()) {
    if (signal.aborted) break;
    for (const row of rows) {
      const hash = rowHash(row);
      if (wanted.has(hash)) found.add(hash);
    }
  }
  return found;
}
