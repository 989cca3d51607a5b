import { work } from "../../commands/upload/worker.ts";
import type { InspectFlags } from "../options/options.ts";
import { withLedger } from "../process/context.ts";
import { showWorker } from "../views/run/worker-view.ts";

export function workerAction(flags: InspectFlags): Promise<void> {
  return withLedger(flags, async ({ ledger }, { dependencies, logger }) =>
    showWorker(await work({ ledger, run: flags.run, folder: process.cwd() }, dependencies), logger),
  );
}
