import { work } from "../../commands/upload/worker.ts";
import type { InspectFlags } from "../options/options.ts";
import { withLedger } from "../process/context.ts";
import type { Session } from "../process/session.ts";
import { showWorker } from "../views/run/worker-view.ts";

export function workerAction(flags: InspectFlags, session: Session): Promise<void> {
  return withLedger(session, flags, async ({ ledger }, { dependencies, logger }) =>
    showWorker(await work({ ledger, run: flags.run, folder: process.cwd() }, dependencies), logger),
  );
}
