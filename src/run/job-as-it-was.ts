import { Failure } from "../model/failure.ts";
import type { Job } from "./job.ts";
import { openJob } from "./job.ts";
import type { Parts } from "./parts.ts";
import { refuseChanges, type RunSettings } from "./run-settings.ts";

/** Without its sources, as they were, a run can still be reported, all but the rows that need work: undefined, and a notice why. */
export async function jobAsItWas(settings: RunSettings, parts: Parts): Promise<Job | undefined> {
  try {
    await refuseChanges(settings);
    return await openJob(settings.job, parts);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    parts.notice(`The rejects are left out: ${error.message}`);
    return undefined;
  }
}
