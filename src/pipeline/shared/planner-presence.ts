import type { SendEnvironment } from "../../job/dependencies.ts";
import type { Run } from "../../ledger/records/run.ts";
import type { LedgerStore } from "../../ledger/ledger-store.ts";
import { Failure } from "../../model/failure.ts";
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
/** How long a waiting process tolerates an unreachable server: as long as a process that writes to the ledger. */
const PATIENCE_MS = 60_000;

/**
 * Performs a query of a process that is waiting or has sent records. Repeats the query while the ledger's server cannot
 * be reached, for at most 60 seconds.
 */
export async function patiently<Result>(
  query: () => Promise<Result>,
  { clock, drain, notice }: SendEnvironment,
): Promise<Result> {
  const startedAt = clock.monotonic();
  for (let isAnnounced = false; ; isAnnounced = true) {
    try {
      return await query();
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "storage") throw error;
      // The hint of the error may state that nothing was sent.
      const hint = "check that the server is running and reachable from this machine; then run the same command again";
      const isOver = drain.aborted || clock.monotonic() - startedAt >= PATIENCE_MS;
      if (isOver) throw new Failure("storage", error.message, { hint, cause: error });
      if (!isAnnounced) notice(`${error.message}. Retrying for ${PATIENCE_MS / 1000} s`);
      await clock.sleep(POLL_MS, drain);
    }
  }
}

/**
 * Whether the run remains open after its last range is done. Waits until the answer is certain or the user stops the
 * worker. A live planner ends the run soon, and a dead planner holds the ledger until its lease expires.
 */
export async function remainsOpen(store: LedgerStore, run: Run["id"], dependencies: SendEnvironment): Promise<boolean> {
  const { clock, drain } = dependencies;
  while (!drain.aborted && (await patiently(() => hasPlanner(store), dependencies))) {
    const status = await patiently(async () => store.sharedStatus?.(run), dependencies);
    if (status?.state === "ended") return false;
    await clock.sleep(POLL_MS, drain);
  }
  return patiently(() => isLeftOpen(store, run), dependencies);
}
