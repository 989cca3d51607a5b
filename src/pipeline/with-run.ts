import type { Dependencies } from "../job/dependencies.ts";
import type { Job, JobSettings } from "../job/job.ts";
import { openJob } from "../job/job.ts";
import type { RunSettings } from "../job/recorded-settings.ts";
import { requireUnchangedFiles } from "../job/recorded-settings.ts";
import { Failure } from "../model/failure.ts";
import type { MaxErrors } from "../job/recorded-settings.ts";
import type { RunReport } from "./run-report.ts";

interface Closable {
  readonly close: () => Promise<void>;
}

/** Takes note of something that is to be closed in the end, and hands it on. */
export type CloseLater = <T extends Closable>(opened: T) => T;

/**
 * Does work that opens things and ends in a report. They are closed in reverse order: with the report, once it has been
 * shown, or at once when the work fails.
 */
export async function closeAfterReport(
  work: (keep: CloseLater) => Promise<Omit<RunReport, "close">>,
): Promise<RunReport> {
  const opened: Closable[] = [];
  const keep: CloseLater = (one) => {
    opened.push(one);
    return one;
  };
  try {
    return { ...(await work(keep)), close: () => closeAll(opened) };
  } catch (error) {
    await closeAll(opened).catch(() => undefined);
    throw error;
  }
}

/** The last one first; one that fails does not keep the others open. */
async function closeAll(opened: Closable[]): Promise<void> {
  const last = opened.pop();
  if (last === undefined) return;
  try {
    await last.close();
  } finally {
    await closeAll(opened);
  }
}

/** What is asked of every command that reads the whole input of a job and reports on it. */
export interface RunOptions {
  readonly job: JobSettings;
  readonly maxErrors?: MaxErrors | undefined;
  /** Let an input without a single record pass. */
  readonly allowEmpty: boolean;
  readonly showValues: boolean;
  /** Report folder; none: the run's own folder beside its ledger, and nothing for a run without one. */
  readonly out?: string | undefined;
}

/** Without its sources, as they were, a run can still be reported, all but the rows that need work: undefined, and a notice why. */
export async function reopenJob(settings: RunSettings, dependencies: Dependencies): Promise<Job | undefined> {
  try {
    await requireUnchangedFiles(settings);
    return await openJob(settings.job, dependencies);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    dependencies.notice(`The rejects are left out: ${error.message}`);
    return undefined;
  }
}
