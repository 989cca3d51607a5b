import type { Dependencies } from "../../job/dependencies.ts";
import { type Job, openJob } from "../../job/job.ts";
import { requireUnchangedFiles } from "../../job/settings/recorded-files.ts";
import type { RunSettings } from "../../job/settings/recorded-settings.ts";
import { Failure } from "../../model/failure.ts";

/**
 * The job of a run, with contract, mapping and input as they were.
 * @param options as `requireUnchangedFiles` takes them
 * @throws Failure `source_changed`, and what `openJob` throws
 */
export async function openRecordedJob(
  settings: RunSettings,
  dependencies: Dependencies,
  options: Parameters<typeof requireUnchangedFiles>[1] = {},
): Promise<Job> {
  await requireUnchangedFiles(settings, options);
  return openJob(settings.job, dependencies);
}

/** The same where a run can be reported without its sources, all but the rows that need work: a notice says why. */
export async function openJobIfUnchanged(settings: RunSettings, dependencies: Dependencies): Promise<Job | undefined> {
  try {
    return await openRecordedJob(settings, dependencies);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    dependencies.notice(`The rejects are left out: ${error.message}`);
    return undefined;
  }
}
