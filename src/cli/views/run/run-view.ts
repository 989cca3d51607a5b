import { reporters } from "../../../report/formats/reporters.ts";
import { shellCommand } from "../../../text/shell-command.ts";
import { summaryText } from "../../../report/run-summary.ts";
import type { RunReport } from "../../../pipeline/run/run-report.ts";
import { logFailure } from "../../process/process-exit.ts";
import type { RunFlags } from "../../options/options.ts";
import type { Context } from "../../process/context.ts";
import type { LogFields } from "../../progress/log-events.ts";

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
    logger.lines(summaryText({ ...run.report, ...stderrScreen }), "report", reportFields(run.report));
    for (const failure of run.failures) logFailure(failure, logger);
    const keep = keepCommand(run.report, flags);
    if (keep !== undefined) logger.notice(`To correct the next extract in the same way: ${keep}`);
    return run.exitCode;
  } finally {
    await run.close();
  }
}

/** The command that keeps the changed cells of rejects, after they have been sent. */
function keepCommand(
  { run, summary }: RunReport["report"],
  { rejects = [], config, dryRun = false }: RunFlags,
): string | undefined {
  if (rejects.length === 0 || run?.command !== "push" || dryRun || (summary.counts.accepted ?? 0) === 0)
    return undefined;
  const folders = rejects.flatMap((folder) => ["--rejects", folder]);
  return shellCommand([
    "migrate",
    "corrections",
    "add",
    ...folders,
    ...(config === undefined ? [] : ["--config", config]),
  ]);
}

function reportFields({ title, summary, folder, next }: RunReport["report"]): LogFields<"report"> {
  const { records, counts, errors, warnings, exitCode } = summary;
  return { title, records, counts, errors, warnings, exitCode, folder, next };
}
