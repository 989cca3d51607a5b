import { STATUSES } from "../../../model/outcome.ts";
import type { WorkerResult } from "../../../pipeline/shared/join-run.ts";
import { counted, formatCount } from "../../../text/count.ts";
import type { Logger } from "../../process/logger.ts";

/** Exit code of a worker that left before the run ended, while other workers may continue. */
const LEFT_EARLY_EXIT_CODE = 3;

/**
 * Shows the number of records that a worker has sent, by status. Returns its exit code.
 * @throws the failure that ended the worker
 */
export function showWorker(done: WorkerResult, logger: Logger): number {
  logger.notice(workerText(done));
  if (done.failure !== undefined) throw done.failure;
  return done.reason === "drained" ? LEFT_EARLY_EXIT_CODE : 0;
}

function workerText({ run, reason, ranges, counts }: WorkerResult): string {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const each = STATUSES.flatMap((status) => {
    const count = Object.entries(counts).find(([name]) => name === status)?.[1] ?? 0;
    return count === 0 ? [] : [`${formatCount(count)} ${status}`];
  });
  const what = [`${counted(total, "record")} in ${counted(ranges, "range")}`, ...each].join(", ");
  return reason === "done"
    ? `Run ${run} has nothing left to send. This worker sent ${what}`
    : `This worker left run ${run}. It sent ${what}`;
}
