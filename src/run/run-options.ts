import type { JobSettings } from "./job.ts";
import type { Tolerance } from "./plan-records.ts";

/** What is asked of every command that reads the whole input of a job and reports on it. */
export interface RunOptions {
  readonly job: JobSettings;
  readonly maxErrors?: Tolerance | undefined;
  /** Let an input without a single record pass. */
  readonly allowEmpty: boolean;
  readonly showValues: boolean;
  /** Report folder; none: the run's own folder beside its ledger, and nothing for a run without one. */
  readonly out?: string | undefined;
}
