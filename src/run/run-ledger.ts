import type { Ledger, Run } from "../ledger/ledger.ts";
import { lockLedger } from "../ledger/lock.ts";
import { noLedger, statOf } from "../ledger/private-file.ts";
import { openLedger } from "../ledger/sqlite-ledger.ts";
import { BUG } from "../model/exit-code.ts";
import { Failure } from "../model/failure.ts";
import type { RunBook } from "./plan-records.ts";

/** A ledger that this process alone may write. */
export interface RunLedger {
  readonly ledger: Ledger;
  /** Closes the ledger, then lets others in. */
  readonly close: () => Promise<void>;
}

/**
 * Locks and opens the ledger at this path; only a push makes one where there is none.
 * @throws Failure `ledger_in_use`, naming the holder; `run_unknown`, `ledger_damaged`, `storage`
 */
export async function openRunLedger(path: string, command: "push" | "resume" | "reconcile"): Promise<RunLedger> {
  const lock = await lockLedger(path, command);
  try {
    const ledger = await openLedger({ path, create: command === "push" });
    return {
      ledger,
      close: async () => {
        try {
          await ledger.close();
        } finally {
          await lock.release();
        }
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
  const ledger = await openLedger({ path, create: false, readOnly: true });
  return { ledger, close: () => ledger.close() };
}

/** The same for one question. */
export async function readRunLedger<T>(path: string, read: (ledger: Ledger) => Promise<T>): Promise<T> {
  const { ledger, close } = await openLedgerToRead(path);
  try {
    return await read(ledger);
  } finally {
    await close();
  }
}

/** Does a run's work; when it fails, that is written down as the run's end. */
export async function recordedRun<T>({ ledger, run }: RunBook, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const exitCode = error instanceof Failure ? error.exitCode : BUG;
    await ledger.finishRun(run, exitCode).catch(() => undefined);
    throw error;
  }
}

/**
 * For commands that look at a ledger's file as such.
 * @throws Failure `run_unknown` when there is none
 */
export function requireLedgerFile(path: string): void {
  if (statOf(path) === undefined) throw noLedger(path);
}
