import { existsSync } from "node:fs";
import path from "node:path";
import {
  type RejectsReport,
  changedFiles,
  PASS_AS_SOURCES,
  isSameExport,
  manifestPath,
  readManifest,
  returnedFiles,
} from "../../corrections/read-manifest.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Run } from "../../ledger/records/run.ts";
import { ledgerFlag, openLedgerStore } from "../../ledger/open-ledger-store.ts";
import { Failure } from "../../model/failure.ts";
import { shellCommand } from "../../text/shell-command.ts";
import { pathsFrom } from "../contract-files.ts";
import type { FileEnvironment } from "../dependencies.ts";
import { type JobSettings, mapSources, type NamedSources } from "../settings/job-settings.ts";
import type { FileKind } from "../settings/recorded-files.ts";
import { type RunSettings, jobSettingsIfKnown, settingsIfKnown } from "../settings/recorded-settings.ts";
import { settingDifferences } from "../settings/same-run.ts";
import { withOwnVersions } from "../settings/stored-setup.ts";

/** The recorded data of the run whose rejects are re-imported. */
export interface RecordedRejects {
  readonly job: JobSettings;
  /** Absent for a run that is not in the ledger, because the target is never taken from a report. */
  readonly run: RunSettings | undefined;
  /** The rejects files, by source. */
  readonly files: ReadonlyMap<string, readonly string[]>;
}

export interface SetupOptions {
  /** Kinds of files that the new run names itself. The recorded files of these kinds are not used. */
  readonly replaced: ReadonlySet<FileKind>;
  readonly dependencies: FileEnvironment;
}

/**
 * Finds the run of a report, in the ledger or in the report itself. For a run in the ledger, reads the stored versions
 * of files that have changed since the run. Reads reports of several runs together if the settings of these runs agree.
 * @throws Failure `usage` if the settings differ, `source_unreadable` if they are invalid; the failures of
 * `readManifest`
 */
export async function recordedRejects(
  folders: readonly string[],
  ledger: string,
  options: SetupOptions,
): Promise<RecordedRejects> {
  const reports: RejectsReport[] = [];
  for (const folder of folders) reports.push({ folder, document: await readManifest(folder) });
  const [first] = reports;
  if (first === undefined) throw new Error("no folder with rejects was given");
  await refuseOtherSettings(reports, ledger);
  const { folder, document } = first;
  const run = document.command === "push" ? await settingsInLedger(ledger, document.run, options) : undefined;
  const job = run?.job ?? jobSettingsIfKnown(document.settings);
  if (job === undefined) {
    throw new Failure("source_unreadable", `${folder}: the settings of its run cannot be read`, {
      hint: PASS_AS_SOURCES,
    });
  }
  return { job, run, files: await filesOf(reports) };
}

/**
 * Returns the files that the command line of the exporting run named, relative to the current folder or absolute.
 * Returns none if the run read standard input or other rejects.
 */
export async function exportedSources(folder: string): Promise<NamedSources> {
  const job = jobSettingsIfKnown((await readManifest(folder)).settings);
  if (job === undefined || job.rejects !== undefined || job.standardInput !== undefined)
    return { sources: [], namedSources: {} };
  return mapSources(job, pathsFrom(path.resolve(job.folder)));
}

async function filesOf(reports: readonly RejectsReport[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const files = new Map<string, readonly string[]>();
  for (const { folder, document } of reports) {
    for (const [source, own] of await returnedFiles(folder, document)) {
      files.set(source, [...(files.get(source) ?? []), ...own]);
    }
  }
  return files;
}

/**
 * Refuses reports whose records would be read with different settings. Only the ledger can prove that the settings of
 * different runs agree, because a report does not contain the contents of the files that its settings name.
 */
async function refuseOtherSettings(reports: readonly RejectsReport[], locator: string): Promise<void> {
  const [first, ...others] = reports;
  if (first === undefined || others.every((other) => isSameExport(other, first))) return;
  const runs = await runsInLedger(locator, reports);
  const own = runs.get(first.document.run);
  for (const other of others) {
    if (isSameExport(other, first)) continue;
    const run = runs.get(other.document.run);
    const found = own === undefined || run === undefined ? undefined : settingDifferences(own, run);
    if (found?.length === 0) continue;
    const why =
      found === undefined
        ? "come from different runs, and the ledger does not contain both"
        : `come from runs with different settings: ${found.join(", ")}`;
    const separately = [first, other].map(({ folder }) => pushCommand(folder, locator));
    throw new Failure("usage", `${first.folder} and ${other.folder} ${why}`, {
      hint: `re-import them separately, for example with \`${separately.join("`, then `")}\``,
    });
  }
}

/** Returns the pushes in the ledger that wrote the reports, by id. */
async function runsInLedger(locator: string, reports: readonly RejectsReport[]): Promise<ReadonlyMap<string, Run>> {
  const runs = new Map<string, Run>();
  await inLedger(locator, async (ledger) => {
    for (const { document } of reports) {
      const run = document.command === "push" ? await ledger.findRun(document.run) : undefined;
      if (run !== undefined && settingsIfKnown(run)?.rejectsSecret === document.secret) runs.set(document.run, run);
    }
  });
  return runs;
}

/**
 * Returns the settings of a run; undefined if the ledger does not contain the run, for example if the report comes from
 * another ledger or from a push that only validated (`--remote-validate`).
 */
function settingsInLedger(locator: string, id: string, options: SetupOptions): Promise<RunSettings | undefined> {
  return inLedger(locator, async (ledger) => {
    const run = await ledger.findRun(id);
    const settings = run && settingsIfKnown(run);
    const hint = "To use the current files, pass them with --contract and --mapping";
    // Rejects contain the corrected values, so the corrections file is not read.
    const replaced = new Set([...options.replaced, "corrections" as const]);
    return settings && withOwnVersions(settings, { ...options, replaced, stored: ledger, hint });
  });
}

/** Resolves to undefined if the ledger cannot be read. */
async function inLedger<T>(locator: string, ask: (ledger: Ledger) => Promise<T>): Promise<T | undefined> {
  let ledger: Ledger | undefined;
  try {
    ledger = await (await openLedgerStore(locator)).read();
    return await ask(ledger);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  } finally {
    await ledger?.close().catch(() => undefined);
  }
}

/**
 * Refuses to replace a report folder that contains corrections, or rejects of another run that may not have been
 * re-imported yet.
 * @throws Failure `usage` in both cases; the failures of `readManifest`
 */
export async function refuseChangedRejects(folder: string, run: string, ledger: string): Promise<void> {
  if (!existsSync(manifestPath(folder))) return;
  const manifest = await readManifest(folder);
  if (manifest.run !== run) {
    throw new Failure("usage", `${folder} contains rejects of run ${manifest.run}, which would be overwritten`, {
      hint: "choose another folder with --out",
    });
  }
  const [changed, ...others] = await changedFiles(folder, manifest);
  if (changed === undefined) return;
  const also = others.length === 0 ? "" : ` and ${others.length} more`;
  throw new Failure("usage", `${folder}: ${changed}${also} changed after the export, and would be overwritten`, {
    hint: `re-import the corrections with \`${pushCommand(folder, ledger)}\`, or choose another folder with --out`,
  });
}

/** Returns the command that pushes the rejects in a folder with the settings in a ledger. */
function pushCommand(folder: string, ledger: string): string {
  return shellCommand(["migrate", "push", "--rejects", folder, ...ledgerFlag(ledger)]);
}
