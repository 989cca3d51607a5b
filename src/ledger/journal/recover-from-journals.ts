import { randomBytes } from "node:crypto";
import { renameSync } from "node:fs";
import path from "node:path";
import type { JournaledRequest, LedgerRecovery } from "./recovery.ts";
import type { JournaledLedger, Ledger } from "../ledger.ts";
import { compareJournal, type JournalComparison, type JournalPlace, journalsOf } from "./compare-journal.ts";
import { appendLast, openJournalFile, type JournalRescue } from "./journal-file.ts";
import { MAGIC, recoveryNote } from "./journal-format.ts";
import { journalFile, readJournal, readLedgerOf } from "./journal-reader.ts";
import { compareMachineJournals } from "./machine-journals.ts";

export interface JournalRecovery {
  /** Number of requests that were missing from the ledger. They now count as attempts with an unknown outcome. */
  readonly noted: number;
  /** Whether the journals may lack some requests. */
  readonly isUncertain: boolean;
  /** The journals that were compared; for a ledger on a server, only the outdated journals. */
  readonly journals: readonly string[];
}

export interface RecoverOptions extends JournalRescue {
  /** ISO 8601 UTC. */
  readonly at: string;
}

/**
 * Makes a ledger account for every request in its journals, and notes this in the ledger and the journals. Can be
 * repeated after an interruption.
 * @throws Failure `storage`, and errors from the ledger
 */
export async function recoverFromJournals(
  place: JournalPlace,
  ledger: Ledger,
  {
    someLost,
    ...options
  }: RecoverOptions & {
    /** Whether requests are missing that no journal contains. */
    readonly someLost: boolean;
  },
): Promise<JournalRecovery> {
  const { id } = await ledger.history();
  const comparisons: JournalComparison[] = [];
  for (const file of journalsOf(place, id)) comparisons.push(await compareJournal(file, ledger));
  const outdated = comparisons.filter(({ isUpToDate }) => !isUpToDate);
  const isUncertain = someLost || outdated.some(({ isComplete }) => !isComplete);
  const noted =
    outdated.length === 0 && !isUncertain
      ? 0
      : await accountFor(outdated, ledger, { ...options, ledgerName: place.ledgerName, isUncertain });
  return { noted, isUncertain, journals: comparisons.map(({ file }) => file) };
}

interface RecoverMachineOptions extends RecoverOptions {
  /**
   * Whether the ledger may lack requests that no journal on this machine contains. For the parameters, see
   * `MachineComparison`.
   */
  readonly isUncertain: (isComplete: boolean, unknown: number) => Promise<boolean>;
}

/** Does the same as `recoverFromJournals` for a ledger on a server and the journals on this machine. */
export async function recoverMachine(
  place: JournalPlace,
  ledger: JournaledLedger,
  { isUncertain: askUncertain, ...options }: RecoverMachineOptions,
): Promise<JournalRecovery> {
  const { outdated, unknown, isComplete } = await compareMachineJournals(place, ledger);
  const isUncertain = await askUncertain(isComplete, unknown);
  const isAccounted = outdated.length === 0 && !isUncertain;
  const noted = isAccounted
    ? 0
    : await accountFor(outdated, ledger, { ...options, ledgerName: place.ledgerName, isUncertain });
  return { noted, isUncertain, journals: outdated.map(({ file }) => file) };
}

interface Accounting extends RecoverOptions {
  readonly ledgerName: string;
  readonly isUncertain: boolean;
}

/** Adds the requests of these journals to the ledger. Returns the number of requests that were missing. */
async function accountFor(
  outdated: readonly JournalComparison[],
  ledger: JournaledLedger,
  { ledgerName, at, isUncertain, ...options }: Accounting,
): Promise<number> {
  const { recovery } = ledger;
  if (recovery === undefined) return 0;
  let noted = 0;
  for (const { file } of outdated) noted += await noteRequests(file, recovery, at);
  const token = randomBytes(8).toString("hex");
  await recovery.noteRecovery({ id: token, at, isUncertain });
  const { requests } = await ledger.history();
  for (const comparison of outdated) {
    await noteInJournal(ledgerName, comparison, { ...options, at, token, requests });
  }
  return noted;
}

const BATCH = 5000;

/** Adds a journal's unknown requests to the ledger. Returns their number. */
async function noteRequests(file: string, recovery: LedgerRecovery, at: string): Promise<number> {
  let noted = 0;
  let batch: JournaledRequest[] = [];
  for (const entry of readJournal(file)) {
    if (entry.kind !== "requests") continue;
    for (const request of entry.requests) batch.push(request);
    if (batch.length < BATCH) continue;
    noted += await recovery.markPossiblySent(batch, at);
    batch = [];
  }
  return noted + (await recovery.markPossiblySent(batch, at));
}

/**
 * Notes in a journal that the ledger accounts for the journal's requests. Renames a corrupt journal and starts a new
 * journal.
 */
async function noteInJournal(
  ledgerName: string,
  { file, end: { state, validBytes } }: JournalComparison,
  { at, token, requests, ...options }: RecoverOptions & { readonly token: string; readonly requests: number },
): Promise<void> {
  const owner = readLedgerOf(file) ?? { kind: "ledger", name: ledgerName, id: token };
  const isNew = state === "corrupt" || validBytes <= MAGIC.length;
  if (state === "corrupt") renameSync(file, `${file}.corrupt-${at.replaceAll(/\D/g, "")}`);
  const target = isNew ? journalFile(path.dirname(file), ledgerName, owner.id) : file;
  const journal = openJournalFile(target, { ...options, validBytes: isNew ? 0 : validBytes });
  const note = recoveryNote({ recovery: token, at, requests });
  await appendLast(journal, isNew ? [{ ...owner, kind: "ledger" }, ...note] : note);
}
