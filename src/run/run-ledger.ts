import type { Ledger, Run } from "../ledger/ledger.ts";
import { lockLedger } from "../ledger/lock.ts";
import { openLedger } from "../ledger/sqlite-ledger.ts";
import { Failure } from "../model/failure.ts";

/** A ledger that this process alone may write. */
export interface RunLedger {
  readonly ledger: Ledger;
  /** Closes the ledger, then lets others in. */
  readonly release: () => Promise<void>;
}

/**
 * Locks and opens the ledger at this path; only a push makes one where there is none.
 * @throws Failure `ledger_in_use`, naming the holder; `run_unknown`, `ledger_damaged`, `storage`
 */
export async function openRunLedger(path: string, command: "push" | "resume"): Promise<RunLedger> {
  const lock = await lockLedger(path, command);
  try {
    const ledger = await openLedger({ path, create: command === "push" });
    return {
      ledger,
      release: async () => {
        await ledger.close();
        await lock.release();
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/**
 * The run with this id, or the latest.
 * @throws Failure `run_unknown`
 */
export async function requireRun(ledger: Ledger, id: string | undefined): Promise<Run> {
  const run = await ledger.findRun(id);
  if (run !== undefined) return run;
  throw new Failure("run_unknown", id === undefined ? "the ledger holds no run" : `the ledger holds no run ${id}`, {
    hint: id === undefined ? "start one with `migrate push`" : "see the runs with `migrate status`",
  });
}

/**
 * Opens the ledger at this path to look into it, beside whoever is writing to it.
 * @throws Failure `run_unknown` when there is none
 */
export async function openLedgerToRead(path: string): Promise<RunLedger> {
  const ledger = await openLedger({ path, create: false });
  return { ledger, release: () => ledger.close() };
}

/** The same for one question. */
export async function readRunLedger<T>(path: string, read: (ledger: Ledger) => Promise<T>): Promise<T> {
  const { ledger, release } = await openLedgerToRead(path);
  try {
    return await read(ledger);
  } finally {
    await release();
  }
}
