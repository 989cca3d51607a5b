import { randomBytes } from "node:crypto";
import { readdirSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { unlessMissing } from "../../files/error-code.ts";
import { timestamp } from "../../time/clock.ts";
import type { JournaledLedger } from "../ledger.ts";
import { compareJournal, type JournalComparison, type JournalPlace } from "./compare-journal.ts";
import { appendLast, openJournalFile } from "./journal-file.ts";
import { recoveryNote } from "./journal-format.ts";
import { journalFiles, readLastEntry, readLedgerOf } from "./journal-reader.ts";
import { type Journal, type JournalOptions, openJournal } from "./open-journal.ts";

/** The result of comparing this machine's journals with a ledger that several machines write to. */
export interface MachineComparison {
  /** Journals that are corrupt, or that contain a run, requests or a recovery note that the ledger lacks. */
  readonly outdated: readonly JournalComparison[];
  /** Number of requests in these journals that are missing from the ledger. */
  readonly unknown: number;
  /** Whether the ledger and these journals together contain every request known to this machine. */
  readonly isComplete: boolean;
}

/**
 * Returns the folders of a ledger, found by the id of its first run or by its name. A search by name also finds the
 * journals of an earlier database whose first run had another id.
 */
export function ledgerFolders({ folder, ledgerName }: JournalPlace, id: string | undefined): readonly string[] {
  return foldersIn(folder).filter(
    (one) =>
      path.basename(one) === id ||
      foldersIn(one).some((process) => journalFiles(process).some((file) => readLedgerOf(file)?.name === ledgerName)),
  );
}

function foldersIn(folder: string): readonly string[] {
  const entries = unlessMissing(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return entries.flatMap((entry) => (entry.isDirectory() ? [path.join(folder, entry.name)] : [])).toSorted();
}

function journalsIn(folders: readonly string[]): readonly string[] {
  return folders.flatMap(foldersIn).flatMap(journalFiles);
}

export function hasMachineJournals(place: JournalPlace): boolean {
  return ledgerFolders(place, undefined).length > 0;
}

export async function compareMachineJournals(place: JournalPlace, ledger: JournaledLedger): Promise<MachineComparison> {
  const { id } = await ledger.history();
  const outdated: JournalComparison[] = [];
  let seen = 0;
  for (const file of journalsIn(ledgerFolders(place, id))) {
    const end = readLastEntry(file);
    const isNoted = end?.recovery === undefined ? undefined : await ledger.recovery?.isRecoveryKnown(end.recovery);
    // The process wrote the note after all of its requests, so a ledger that contains the note also contains these
    // requests.
    if (isNoted === true) continue;
    const comparison = await compareJournal(file, ledger);
    seen = Math.max(seen, comparison.requests);
    if (isNoted === false || !(await isKnown(comparison, ledger))) outdated.push(comparison);
  }
  const unknown = outdated.reduce((sum, one) => sum + one.unknown, 0);
  // This query comes last, because other processes may still be sending requests.
  const { requests } = await ledger.history();
  const isCorrupt = outdated.some(({ end }) => end.state === "corrupt");
  return { outdated, unknown, isComplete: !isCorrupt && requests + unknown >= seen };
}

async function isKnown(
  { unknown, requests, lastRun, end }: JournalComparison,
  ledger: JournaledLedger,
): Promise<boolean> {
  if (unknown > 0 || end.state === "corrupt") return false;
  if (lastRun !== undefined && (await ledger.findRun(lastRun)) === undefined) return false;
  return (await ledger.history()).requests >= requests;
}

/**
 * Creates the journal of this process, in its own folder. `end` also notes, in the ledger and in the journal, that the
 * ledger accounts for the journal.
 */
export function openProcessJournal(
  { folder, ledgerName }: JournalPlace,
  ledger: JournaledLedger,
  options: JournalOptions,
): Journal {
  const { clock } = options;
  let own = "";
  let journal: Journal | undefined;
  return {
    async begin(run) {
      const { id = run } = await ledger.history();
      const process = `${timestamp(clock).replaceAll(/\D/g, "")}-${randomBytes(6).toString("hex")}`;
      own = path.join(folder, id, process);
      journal = openJournal({ folder: own, ledgerName }, ledger, options);
      await journal.begin(run);
    },
    reserve: (requests) => journal?.reserve(requests),
    add: (intents) => journal?.add(intents),
    addCount: (count) => journal?.addCount(count),
    async end() {
      if (journal === undefined) return;
      await journal.end();
      journal = undefined;
      await noteEnd(own, ledger, options);
    },
  };
}

/**
 * Notes in the ledger and in the journal that the ledger accounts for the journal. Adds no note to the journal if the
 * server is unreachable, or if the ledger was restored while the process was running. After such a restore, the note
 * would hide the requests that the ledger has lost. A journal without a note is compared request by request.
 */
async function noteEnd(folder: string, ledger: JournaledLedger, { clock, ...options }: JournalOptions): Promise<void> {
  const [file] = journalFiles(folder);
  if (file === undefined || ledger.recovery === undefined) return;
  const recovery = randomBytes(8).toString("hex");
  const at = timestamp(clock);
  // Compares only after the note is in the ledger, because any later restore also removes the note.
  const requests = await ledger.recovery
    .noteRecovery({ id: recovery, at, isUncertain: false })
    .then(async () => ((await isKnown(await compareJournal(file, ledger), ledger)) ? ledger.history() : undefined))
    .then((history) => history?.requests)
    .catch(() => undefined);
  if (requests === undefined) return;
  const validBytes = statSync(file, { throwIfNoEntry: false })?.size;
  // The state folder was removed in the meantime.
  if (validBytes === undefined) return;
  const journal = openJournalFile(file, { ...options, validBytes });
  await appendLast(journal, recoveryNote({ recovery, at, requests }));
}

const KEPT_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Removes journals to which nothing has been written for more than 30 days, but keeps the latest journal. Call this
 * only if the ledger has all requests in the removed journals. Newer journals must stay, because they show whether an
 * older copy of the ledger was restored.
 */
export function removeOldJournals(place: JournalPlace, id: string, now: number): void {
  const processes = foldersIn(path.join(place.folder, id));
  for (const process of processes.slice(0, -1)) {
    const isOld = journalFiles(process).every((file) => now - statSync(file).mtimeMs > KEPT_MS);
    if (isOld) rmSync(process, { recursive: true, force: true });
  }
}
