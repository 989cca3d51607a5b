import path from "node:path";
import type { JournalEnvironment } from "../../job/dependencies.ts";
import { type JournalComparison, type JournalPlace, journalsOf } from "../../ledger/journal/compare-journal.ts";
import { findOutdated, openJournal } from "../../ledger/journal/open-journal.ts";
import type { LedgerStore } from "../../ledger/ledger-store.ts";
import type { JournaledLedger } from "../../ledger/ledger.ts";
import { Failure } from "../../model/failure.ts";
import { counted } from "../../text/count.ts";
import { openMachineJournal, type WatchedJournal } from "./machine-evidence.ts";
import { lastRunText } from "./restore-evidence.ts";

/** The location of a ledger that has journals. */
export type JournaledStore = Pick<LedgerStore, "folder" | "name" | "server">;

export function journalPlace({ folder, name }: JournaledStore): JournalPlace {
  return { folder: path.join(folder, "journal"), ledgerName: path.basename(name) };
}

/** Whether any journal names this ledger. */
export function hasJournals(store: JournaledStore): boolean {
  return journalsOf(journalPlace(store), undefined).length > 0;
}

/**
 * Opens the journal of a ledger that has just been opened for writing.
 * @throws Failure `ledger_outdated` if the ledger lacks requests that its journals contain
 */
export async function openRunJournal(
  store: JournaledStore,
  ledger: JournaledLedger,
  dependencies: JournalEnvironment,
): Promise<WatchedJournal> {
  const { server } = store;
  if (server !== undefined) return openMachineJournal({ ...store, server }, ledger, dependencies);
  const { clock, rescueFolder, notice } = dependencies;
  const place = journalPlace(store);
  const [outdated] = await findOutdated(place, ledger);
  if (outdated !== undefined) throw await outdatedLedger(store, ledger, outdated);
  return openJournal(place, ledger, { clock, rescueFolder, notice });
}

async function outdatedLedger(
  { name }: JournaledStore,
  ledger: JournaledLedger,
  comparison: JournalComparison,
): Promise<Failure> {
  const { requests } = await ledger.history();
  const isProven = comparison.isComplete || comparison.unknown > 0;
  return new Failure(
    "ledger_outdated",
    `the ledger ${name} ${isProven ? "is" : "may be"} an older copy or another ledger: it has ${counted(requests, "request")}, and ${findingText(comparison)}${lastRunText(comparison)}`,
    {
      hint:
        "nothing was sent. Restore the newest copy of the ledger, with its log (-wal) and its checksum file " +
        "(-checksums). Without a newer copy, run `migrate ledger repair`: records that may have been sent become ambiguous, " +
        `and \`migrate reconcile\` resolves them. To start a new ledger, remove ${comparison.file}`,
    },
  );
}

function findingText({ file, unknown, isComplete }: JournalComparison): string {
  const lacking = counted(unknown, "request");
  if (isComplete)
    return unknown > 0 ? `lacks ${lacking} that the journal ${file} contains` : `is older than the journal ${file}`;
  return unknown > 0
    ? `lacks at least ${lacking} that the corrupt or incomplete journal ${file} contains`
    : `may lack some, because the journal ${file} is corrupt or incomplete`;
}
