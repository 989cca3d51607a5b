import { randomBytes } from "node:crypto";
import { renameSync } from "node:fs";
import type { JournaledRequest } from "./recovery.ts";
import type { Ledger } from "../ledger.ts";
import { compareJournal, type JournalComparison, type JournalPlace, journalsOf } from "./compare-journal.ts";
import { openJournalFile, type JournalRescue } from "./journal-file.ts";
import { framesOf, MAGIC } from "./journal-format.ts";
import { journalFile, readJournal, readLedgerOf } from "./journal-reader.ts";

export interface JournalRecovery {
  /** Number of requests that were missing from the ledger. They now count as attempts with an unknown outcome. */
  readonly noted: number;
  /** Whether the journals may lack some requests. */
  readonly isUncertain: boolean;
  /** The journals that were compared; for a ledger on a server, only the outdated ones. */
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
  options: RecoverOptions,
): Promise<JournalRecovery> {
  const { id } = await ledger.history();
  const comparisons: JournalComparison[] = [];
  for (const file of journalsOf(place, id)) comparisons.push(await compareJournal(file, ledger));
  const outdated = comparisons.filter(({ isUpToDate }) => !isUpToDate);
  const journals = comparisons.map(({ file }) => file);
  const isUncertain = outdated.some(({ isComplete }) => !isComplete);
  const { recovery } = ledger;
  if (recovery === undefined || outdated.length === 0) return { noted: 0, isUncertain, journals };
  let noted = 0;
  for (const { file } of outdated) noted += await noteRequests(file, recovery, options.at);
  const token = randomBytes(8).toString("hex");
  await recovery.noteRecovery({ id: token, at: options.at, isUncertain });
  const { requests } = await ledger.history();
  for (const comparison of outdated) await noteInJournal(place, comparison, { ...options, token, requests });
  return { noted, isUncertain, journals };
}

const BATCH = 5000;

/** Adds a journal's unknown requests to the ledger. Returns their number. */
export async function noteRequests(
  file: string,
  recovery: NonNullable<Ledger["recovery"]>,
  at: string,
): Promise<number> {
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
export async function noteInJournal(
  { folder, ledgerName }: JournalPlace,
  { file, end: { state, validBytes } }: JournalComparison,
  { at, token, requests, ...options }: RecoverOptions & { readonly token: string; readonly requests: number },
): Promise<void> {
  const owner = readLedgerOf(file) ?? { kind: "ledger", name: ledgerName, id: token };
  const isNew = state === "corrupt" || validBytes <= MAGIC.length;
  if (state === "corrupt") renameSync(file, `${file}.corrupt-${at.replaceAll(/\D/g, "").slice(0, 14)}`);
  const target = isNew ? journalFile(folder, ledgerName, owner.id) : file;
  const journal = openJournalFile(target, { ...options, validBytes: isNew ? 0 : validBytes });
  try {
    if (isNew) journal.append(framesOf({ ...owner, kind: "ledger" }));
    journal.append(framesOf({ kind: "recovery", recovery: token, at, requests }));
    journal.append(framesOf({ kind: "end", recovery: token, at, requests }));
    await journal.sync();
  } finally {
    journal.close();
  }
}
