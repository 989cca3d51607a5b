import { Failure } from "../../model/failure.ts";

/** Returns the failure for a worker that cannot join a run because the run has ended or was started without workers. */
export function cannotJoin(run: string, reason: "ended" | "without workers"): Failure {
  return reason === "ended"
    ? new Failure("run_unknown", `run ${run} has ended, so workers cannot join it`, {
        hint: `\`migrate status\` lists the runs; \`migrate resume ${run}\` sends the remaining records of this run, if there are any`,
      })
    : new Failure("run_unknown", `run ${run} does not accept workers`, {
        hint: "workers can join only a run of `migrate push --workers <n>`, and only while it is running",
      });
}
