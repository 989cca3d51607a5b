import type { Format } from "../report/format.ts";
import { reporters } from "../report/reporters.ts";
import { summaryText } from "../report/run-summary.ts";
import type { RunReport } from "../run/run-report.ts";
import { sayFailure } from "./end-of-process.ts";
import type { World } from "./world.ts";

/**
 * Shows a run, and closes it: on stdout the report in its format, on stderr the summary and why the run stopped.
 * Gives the run's exit code.
 */
export async function showRun(run: RunReport, format: Format, world: World): Promise<number> {
  const { talk, talkScreen, write, close } = world;
  try {
    close();
    await reporters[format](run.report, write);
    talk.lines(summaryText({ ...run.report, ...talkScreen }));
    for (const failure of run.failures) sayFailure(failure, talk);
    return run.exitCode;
  } finally {
    await run.close();
  }
}
