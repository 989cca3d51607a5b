import { randomBytes } from "node:crypto";
import path from "node:path";
import type { JournaledLedger } from "../ledger.ts";
import { compareMachineJournals, type MachineJournals } from "./machine-journals.ts";
import { type JournalRecovery, noteInJournal, noteRequests, type RecoverOptions } from "./recover-from-journals.ts";

interface RecoverMachineOptions extends RecoverOptions {
  /** Whether the ledger may lack requests that no journal on this machine contains. */
  readonly isUncertain: (isComplete: boolean, unknown: number) => Promise<boolean>;
}

/**
 * Makes a ledger on a server account for every request in the journals on this machine, and notes this in the ledger
 * and the journals. Can be repeated after an interruption.
 * @throws Failure `storage`, and errors from the ledger
 */
export async function recoverMachine(
  place: MachineJournals,
  ledger: JournaledLedger,
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
