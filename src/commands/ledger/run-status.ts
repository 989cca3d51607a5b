import type { Run } from "../../ledger/ledger.ts";
import { openLedgerStore } from "../../ledger/open-ledger-store.ts";
import type { Summary } from "../../model/outcome.ts";
import { requireRun, readRunLedger } from "../../pipeline/run-ledger.ts";

export interface StatusOptions {
  readonly ledger: string;
  /** One run by its id; none: all of them. */
  readonly run?: string | undefined;
}

export interface RunStatus {
  readonly run: Run;
  readonly summary: Summary;
  /** A process is at work on it just now. */
  readonly running: boolean;
}

/** What the ledger knows of its runs, latest first. Reads only. */
export async function status(options: StatusOptions): Promise<readonly RunStatus[]> {
  const store = await openLedgerStore(options.ledger);
  return readRunLedger(store, async (ledger) => {
    const runs = options.run === undefined ? await ledger.runs() : [await requireRun(ledger, options.run)];
    const running = await store.activeRun();
    return Promise.all(
      runs.map(async (run) => ({ run, summary: await ledger.summary(run.id), running: run.id === running })),
    );
  });
}
