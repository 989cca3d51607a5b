import path from "node:path";
import { type Job, type JobDependencies, openJob } from "../../job/job.ts";
import { changedFiles, filesChanged, ownVersionsText } from "../../job/settings/recorded-files.ts";
import type { RunSettings } from "../../job/settings/recorded-settings.ts";
import { copyName } from "../../job/settings/setup-paths.ts";
import { restoreSetup, type StoredFiles } from "../../job/settings/stored-setup.ts";
import type { KnownFile } from "../../read/input/open-input.ts";
import { Failure } from "../../model/failure.ts";

export interface ReopenOptions {
  /** The copies of setup files that runs stored. */
  readonly stored: StoredFiles;
  readonly dependencies: JobDependencies;
  /** Whether to trust the modification times of large inputs, as in `changedFiles`. */
  readonly trustsTime?: boolean | undefined;
}

/**
 * Opens the job of a run again. If a file of its setup has changed since the run, uses the copy that the run stored.
 * @throws Failure `source_changed` for a changed file without a stored copy; errors from `openJob`
 */
export async function openRecordedJob(settings: RunSettings, options: ReopenOptions): Promise<Job> {
  const job = await recordedSetup(settings, options);
  return openJob(job, options.dependencies, { recordedInputs: recordedInputs(settings) });
}

/**
 * Returns the inputs as the run recorded them, by absolute path. The recorded paths are relative to the folder where
 * the run started, which may not be the current folder. A file may have been copied since then, so its modification
 * time may differ.
 */
function recordedInputs({ job, files }: RunSettings): ReadonlyMap<string, KnownFile> {
  const inputs = files.filter(({ kind }) => kind === "input");
  return new Map(inputs.map(({ file, modifiedMs }) => [path.resolve(job.folder, file), { file, modifiedMs }]));
}

/**
 * Returns the settings of a run's job, with the stored copies of changed files.
 * @throws Failure `source_changed` for a changed file without a stored copy
 */
async function recordedSetup(
  settings: RunSettings,
  { stored, dependencies, trustsTime }: ReopenOptions,
): Promise<RunSettings["job"]> {
  const { job } = settings;
  const changed = await changedFiles(settings, { trustsTime });
  if (changed.length === 0) return job;
  const { temporaryFolder, notice } = dependencies;
  const copies = await restoreSetup(settings, changed, { stored, temporaryFolder });
  const lost = changed.filter(({ file }) => copies[copyName(job.folder, file)] === undefined);
  if (lost.length > 0) throw filesChanged(lost);
  notice(ownVersionsText(changed));
  return { ...job, copies };
}

/**
 * Opens the job of a run again. If that is impossible, for example because a source has changed, returns undefined and
 * shows a notice that the rejects were not written.
 */
export async function openJobIfUnchanged(settings: RunSettings, options: ReopenOptions): Promise<Job | undefined> {
  try {
    return await openRecordedJob(settings, options);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    options.dependencies.notice(`The rejects were not written: ${error.message}`);
    return undefined;
  }
}
