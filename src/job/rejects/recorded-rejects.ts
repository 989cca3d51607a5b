import { readManifest, returnedFiles } from "../../corrections/read-manifest.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import { Failure } from "../../model/failure.ts";
import type { Dependencies } from "../dependencies.ts";
import type { JobSettings } from "../job.ts";
import type { FileKind } from "../settings/recorded-files.ts";
import { jobSettingsIfKnown, type RunSettings, settingsIfKnown } from "../settings/recorded-settings.ts";
import { withOwnVersions } from "../settings/stored-setup.ts";

/** The recorded data of the run whose rejects are re-imported. */
export interface RecordedRejects {
  readonly job: JobSettings;
  /** Absent for a run that the ledger does not contain, because only a ledger is trusted for the target. */
  readonly run: RunSettings | undefined;
  /** The files of rejects, by source. */
  readonly files: ReadonlyMap<string, readonly string[]>;
}

/** How the setup of the run is found again. */
export interface SetupOptions {
  /** Kinds of files that the new run names itself. */
  readonly replaced: ReadonlySet<FileKind>;
  readonly dependencies: Pick<Dependencies, "temporaryFolder" | "notice">;
}

/**
 * Finds the run of a report, in the ledger or in the report itself. The job of a run in the ledger uses the versions
 * that the run stored of files that have changed since.
 * @throws the failures of `readManifest`
 */
export async function recordedRejects(folder: string, ledger: string, options: SetupOptions): Promise<RecordedRejects> {
  const document = await readManifest(folder);
  const run = document.command === "push" ? await settingsInLedger(ledger, document.run, options) : undefined;
  const job = run?.job ?? jobSettingsIfKnown(document.settings);
  if (job === undefined) {
    throw new Failure("source_unreadable", `${folder}: the settings of its run cannot be read`, {
      hint: "pass the corrected files as sources instead: --source <name>=<path>",
    });
  }
  return { job, run, files: await returnedFiles(folder, document) };
}

/** A report from another ledger, or from a validation by the platform, has a run that this ledger does not contain. */
async function settingsInLedger(locator: string, id: string, options: SetupOptions): Promise<RunSettings | undefined> {
  let ledger: Ledger | undefined;
  try {
    ledger = await (await openLedgerStore(locator)).read();
    const run = await ledger.findRun(id);
    const settings = run && settingsIfKnown(run);
    if (settings === undefined) return undefined;
    const { replaced, dependencies } = options;
    const hint = "To use the current files, name them with --contract and --mapping";
    return await withOwnVersions(settings, { stored: ledger, replaced, hint, dependencies });
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  } finally {
    await ledger?.close();
  }
}
