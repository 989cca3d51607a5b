import type { Counts, RunState } from "../../job/run-progress.ts";
import type { Run } from "../../ledger/records/run.ts";

/**
 * Returns the state of a run, according to the ledger.
 * @param isRunning whether a live process is working on the run
 */
export function runState(run: Run, counts: Counts, isRunning: boolean): RunState {
  if (isRunning) return "running";
  if (run.exitCode === undefined) return "interrupted";
  const left = (counts.pending ?? 0) + (counts.blocked ?? 0) + (counts.ambiguous ?? 0);
  if (run.state === "planning") return run.exitCode === STOPPED_BY_USER ? "incomplete" : "stopped";
  if (run.dryRun || left === 0) return "complete";
  return EXIT_CODES_OF_RECORDS.has(run.exitCode) ? "incomplete" : "stopped";
}

/**
 * Returns the exit code of a run whose input was never read completely; undefined for any other run. The records alone
 * do not show that such a run is incomplete. A run that ended because of `--max-errors` needs no further reading.
 */
export function unreadExitCode({ state, exitCode }: Run): number | undefined {
  return state === "planning" && exitCode !== TOO_MANY_ERRORS ? STOPPED_BY_USER : undefined;
}

/** The exit code of a run that ended because of `--max-errors`. Its plan is unfinished, and it has sent nothing. */
export const TOO_MANY_ERRORS = 1;
const STOPPED_BY_USER = 3;
/** Exit codes that depend only on the outcomes of records. All other exit codes indicate a failure. */
const EXIT_CODES_OF_RECORDS: ReadonlySet<number> = new Set([0, 1, 3, 5]);
