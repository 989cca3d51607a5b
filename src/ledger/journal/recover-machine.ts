import { randomBytes } from "node:crypto";
import path from "node:path";
import type { Ledger } from "../ledger.ts";
import { compareMachineJournals, type MachineJournals } from "./machine-journals.ts";
import { type JournalRecovery, noteInJournal, noteRequests, type RecoverOptions } from "./recover-from-journals.ts";

interface RecoverMachineOptions extends RecoverOptions {
  /** Whether requests may be missing that no journal of this machine knows. */
  readonly isUncertain: (isComplete: boolean, unknown: number) => Promise<boolean>;
}

/** What a recovery needs of a ledger. */
export type RecoveredLedger = Pick<Ledger, "findRun" | "history" | "recovery" | "origin">;

/**
 * Makes a ledger on a server account for all that the journals of this machine know, and notes in both that it does.
 * Interrupted, it can be run again.
 * @throws Failure `storage`, and what the ledger throws
 */
export async function recoverMachine(
  place: MachineJournals,
  ledger: RecoveredLedger,
  { at, isUncertain: askUncertain, ...options }: RecoverMachineOptions,
): Promise<JournalRecovery> {
  const { outdated, unknown, isComplete } = await compareMachineJournals(place, ledger);
  const isUncertain = await askUncertain(isComplete, unknown);
  const journals = outdated.map(({ file }) => file);
  const { recovery } = ledger;
  if (recovery === undefined || (outdated.length === 0 && !isUncertain)) return { noted: 0, isUncertain, journals };
  let noted = 0;
  for (const file of journals) noted += await noteRequests(file, recovery, at);
  const token = randomBytes(8).toString("hex");
  await recovery.noteRecovery({ id: token, at, isUncertain });
  const { requests } = await ledger.history();
  for (const comparison of outdated) {
    const process = { folder: path.dirname(comparison.file), ledgerName: place.ledgerName };
    await noteInJournal(process, comparison, { ...options, at, token, requests });
  }
  return { noted, isUncertain, journals };
}
