import type { Dependencies } from "../../job/dependencies.ts";
import { describeTemporaryRun } from "../../job/settings/recorded-settings.ts";
import { validateInput } from "../../migrate.ts";
import type { RunReport } from "../../pipeline/run/run-report.ts";
import { type RunOptions, withUnsentRun } from "../../pipeline/run/with-run.ts";

/** Reads, maps and validates the whole input, and reports the result. Opens no socket. */
export function validate(options: RunOptions, dependencies: Dependencies): Promise<RunReport> {
  const { allowEmpty, maxErrors, threads } = options;
  return withUnsentRun({ options }, dependencies, async (job) => ({
    newRun: describeTemporaryRun("validate", job, dependencies.clock),
    work: (run) => validateInput(run, { allowEmpty, maxErrors, threads, revise: false }),
  }));
}
