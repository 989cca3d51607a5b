import { failureDetails, recover } from "../../../model/failure.ts";
import { type Status, STATUSES } from "../../../model/outcome.ts";
import type { RunReport } from "../../../pipeline/run/run-report.ts";
import type { WorkerResult } from "../../../pipeline/shared/join-run.ts";
import { reporters } from "../../../report/formats/reporters.ts";
import { shellCommand } from "../../../text/shell-command.ts";
import { summaryText } from "../../../report/run-summary.ts";
import { counted, countsByName } from "../../../text/count.ts";
import type { RunFlags } from "../../options/options.ts";
import type { Context } from "../../process/context.ts";
import type { Logger } from "../../process/logger.ts";

/**
 * Shows a run and closes it. Writes the report in its format to stdout, and the summary and any failures to stderr.
 * Returns the exit code of the run.
 */
export async function showRun(run: RunReport, flags: RunFlags, context: Context): Promise<number> {
  const { format, testLocations } = flags;
  const { logger, stderrScreen, write, close } = context;
  try {
    close();
    await reporters[format]({ ...run.report, testLocations }, write);
    const { title, summary, folder, next } = run.report;
    const { records, counts, errors, warnings, exitCode } = summary;
    const fields = { title, records, counts, errors, warnings, exitCode, folder, next };
    logger.lines(summaryText({ ...run.report, ...stderrScreen }), "report", fields);
    for (const failure of run.failures) logger.failure(failureDetails(failure));
    const keep = keepCommand(run.report, flags);
    if (keep !== undefined) logger.notice(`To correct the next extract in the same way: ${keep}`);
    return run.exitCode;
  } finally {
    await closeRun(run);
  }
}

/** Closes the run. Ignores a failure that is already shown: a ledger on a full disk fails again when it is closed. */
async function closeRun({ close, failures }: RunReport): Promise<void> {
  await recover(close, (failure) => {
    if (!failures.some(({ message }) => message === failure.message)) throw failure;
  });
}

/**
 * Returns the command that keeps changed cells as corrections; undefined unless the run is a push of re-imported
 * rejects and the platform has accepted a record.
 */
function keepCommand(
  { run, summary }: RunReport["report"],
  { rejects = [], config, dryRun = false }: RunFlags,
): string | undefined {
  if (rejects.length === 0 || run?.command !== "push" || dryRun || (summary.counts.accepted ?? 0) === 0)
    return undefined;
  const folders = rejects.flatMap((folder) => ["--rejects", folder]);
  const configured = config === undefined ? [] : ["--config", config];
  return shellCommand(["migrate", "corrections", "add", ...folders, ...configured]);
}

/** The exit code of a worker that leaves before the run ends. Other workers may continue. */
const LEFT_EARLY_EXIT_CODE = 3;

/**
 * Shows the number of records that a worker has sent, by status. Returns the exit code.
 * @throws the failure that ended the worker
 */
export function showWorker(done: WorkerResult, logger: Logger): number {
  logger.notice(workerText(done));
  if (done.failure !== undefined) throw done.failure;
  return done.reason === "drained" ? LEFT_EARLY_EXIT_CODE : 0;
}

function workerText({ run, reason, ranges, counts: { pending: _unsent, ...counts } }: WorkerResult): string {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const each = countsByName<Status>(counts, STATUSES);
  const what = [`${counted(total, "record")} in ${counted(ranges, "range")}`, ...each].join(", ");
  return reason === "done"
    ? `Run ${run} has nothing left to send. This worker sent ${what}`
    : `This worker left run ${run}. It sent ${what}`;
}
