import { reporters } from "../../../report/formats/reporters.ts";
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
export async function showRun(run: RunReport, { format, testLocations }: RunFlags, context: Context): Promise<number> {
  const { logger, stderrScreen, write, close } = context;
  try {
    close();
    await reporters[format]({ ...run.report, testLocations }, write);
    logger.lines(summaryText({ ...run.report, ...stderrScreen }), "report", reportFields(run.report));
    for (const failure of run.failures) logFailure(failure, logger);
    return run.exitCode;
  } finally {
    await run.close();
  }
}

function reportFields({ title, summary, folder, next }: RunReport["report"]): LogFields<"report"> {
  const { records, counts, errors, warnings, exitCode } = summary;
  return { title, records, counts, errors, warnings, exitCode, folder, next };
}
