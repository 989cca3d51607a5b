import type { SendEnvironment } from "../../job/dependencies.ts";
import type { Run } from "../../ledger/records/run.ts";
import type { LedgerStore } from "../../ledger/ledger-store.ts";
import { readRunLedger } from "../run/run-ledger.ts";

/** Whether any process other than a worker holds the ledger. */
export async function hasPlanner(store: LedgerStore): Promise<boolean> {
  return (await store.activeWriter?.())?.command !== undefined;
}

/** Whether the run is unfinished and no live planner will end it. */
export async function isLeftOpen(store: LedgerStore, run: Run["id"]): Promise<boolean> {
  if (await hasPlanner(store)) return false;
  return (await readRunLedger(store, (ledger) => ledger.findRun(run)))?.state !== "finished";
}

const POLL_MS = 500;

/**
 * Whether the run remains open after its last range is done. Waits until the answer is certain or the user stops the
 * worker. A live planner ends the run soon, and a dead planner holds the ledger until its lease expires.
 */
export async function remainsOpen(
  store: LedgerStore,
  run: Run["id"],
  { clock, drain }: SendEnvironment,
): Promise<boolean> {
  while (!drain.aborted && (await hasPlanner(store))) {
    if ((await store.sharedStatus?.(run))?.state === "ended") return false;
    await clock.sleep(POLL_MS, drain);
  }
  return isLeftOpen(store, run);
}
