import type { Dependencies } from "../../job/dependencies.ts";
import { type Job, openJob } from "../../job/job.ts";
import { requireUnchangedFiles } from "../../job/settings/recorded-files.ts";
import type { RunSettings } from "../../job/settings/recorded-settings.ts";
import { Failure } from "../../model/failure.ts";

/**
 * The job of a run, with unchanged contract, mapping and input.
 * @param options of `requireUnchangedFiles`
 * @throws Failure `source_changed`, and errors of `openJob`
 */
export async function openRecordedJob(
  settings: RunSettings,
  dependencies: Dependencies,
  options: Parameters<typeof requireUnchangedFiles>[1] = {},
): Promise<Job> {
  await requireUnchangedFiles(settings, options);
  return openJob(settings.job, dependencies);
}

/** The job of a run; undefined if its sources have changed. A notice then says why there are no rejects. */
export async function openJobIfUnchanged(settings: RunSettings, dependencies: Dependencies): Promise<Job | undefined> {
  try {
    return await openRecordedJob(settings, dependencies);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    dependencies.notice(`The rejects were not written: ${error.message}`);
    return undefined;
  }
}
