import type { JournaledRequest } from "./recovery.ts";
import type { JournaledLedger } from "../ledger.ts";
import type { ExpectedLedger, JournalEntry } from "./journal-format.ts";
import {
  type JournalEnd,
  journalFiles,
  ledgerInName,
  nameInFile,
  readJournal,
  readLastEntry,
  readLedgerOf,
} from "./journal-reader.ts";

/**
 * The location of a ledger's journals. A journal belongs to a ledger if it names the ledger or contains the id of the
 * ledger's first run. For a ledger on a server, each process on this machine writes its own journals:
 * `<folder>/<ledger>/<process>/`, where `<ledger>` is the id of the ledger's first run.
 */
export interface JournalPlace {
  readonly folder: string;
  /** The name of the ledger, for messages and to identify its journals. On a server: host, port and database. */
  readonly ledgerName: string;
}

export interface JournalComparison {
  readonly file: string;
  /** Number of requests in the journal that are missing from the ledger. */
  readonly unknown: number;
  /** Whether the journal contains every request that may be missing from the ledger. */
  readonly isComplete: boolean;
  /** Whether the ledger has every request that may have been sent. */
  readonly isUpToDate: boolean;
  /** The last run in the journal. `lastAt`: the time of the last entry that has a time. */
  readonly lastRun: string | undefined;
  readonly lastAt: string | undefined;
  /** Minimum number of requests in the newest copy of the ledger. */
  readonly requests: number;
  readonly end: JournalEnd;
}

/**
 * Returns the journals that belong, or may belong, to this ledger. If the first entry of a journal cannot be read, the
 * file name identifies the ledger. If the journal was also renamed, it may belong to any ledger in the folder.
 * @param id the id of the ledger's first run; undefined if there is no run yet
 */
export function journalsOf({ folder, ledgerName }: JournalPlace, id: string | undefined): readonly string[] {
  return journalFiles(folder).filter((file) => {
    const owner = readLedgerOf(file);
    if (owner !== undefined) return owner.name === ledgerName || owner.id === id;
    const named = ledgerInName(file);
    return named === undefined || named.name === nameInFile(ledgerName) || named.id === id;
  });
}

/**
 * Whether the ledger has the minimum contents that the journal's last entry specifies. False if the journal does not
 * end with an `end` entry. Reads only the end of the file.
 */
export async function endsUpToDate(file: string, ledger: JournaledLedger): Promise<boolean> {
  const last = readLastEntry(file);
  return last !== undefined && (await knowsExpected(last, ledger));
}

async function knowsExpected({ run, recovery, requests }: ExpectedLedger, ledger: JournaledLedger): Promise<boolean> {
  if ((await ledger.history()).requests < requests) return false;
  if (recovery !== undefined) return (await ledger.recovery?.isRecoveryKnown(recovery)) ?? false;
  return run === undefined || (await ledger.findRun(run)) !== undefined;
}

const BATCH = 5000;

/** Compares every entry of a journal with the ledger. */
export async function compareJournal(file: string, ledger: JournaledLedger): Promise<JournalComparison> {
  const state: ComparisonState = {
    expected: { requests: 0 },
    lastRun: undefined,
    lastAt: undefined,
    unknown: 0,
    uncompared: 0,
    isComplete: true,
    isStart: true,
    hasEnded: false,
    batch: [],
  };
  const entries = readJournal(file);
  let next = entries.next();
  for (; next.done !== true; next = entries.next()) {
    await addEntry(state, next.value, ledger);
    if (state.batch.length >= BATCH) await compareBatch(state, ledger);
  }
  const end = next.value;
  await compareBatch(state, ledger);
  const { expected, unknown, uncompared, hasEnded, lastRun, lastAt } = state;
  const knowsAll = await knowsExpected(expected, ledger);
  const isComplete = state.isComplete && end.state !== "corrupt" && (knowsAll || uncompared === 0);
  const isUpToDate = unknown === 0 && isComplete && (knowsAll || hasEnded);
  return { file, end, unknown, isComplete, isUpToDate, lastRun, lastAt, requests: expected.requests };
}

interface ComparisonState {
  expected: ExpectedLedger;
  lastRun: string | undefined;
  lastAt: string | undefined;
  unknown: number;
  /** Number of requests that cannot be compared individually. */
  uncompared: number;
  isComplete: boolean;
  /** True until the first run or the first recovery has been read. */
  isStart: boolean;
  hasEnded: boolean;
  batch: JournaledRequest[];
}

async function addEntry(state: ComparisonState, entry: JournalEntry, ledger: JournaledLedger): Promise<void> {
  state.hasEnded = entry.kind === "end";
  switch (entry.kind) {
    case "ledger":
      return;
    case "begin":
      state.lastRun = entry.run;
      state.lastAt = entry.at;
      // If the ledger lacks requests that were sent before this journal began, this journal does not contain them.
      if (state.isStart && entry.requests > (await ledger.history()).requests) state.isComplete = false;
      return startFrom(state, entry);
    case "requests":
      for (const request of entry.requests) state.batch.push(request);
      return countMore(state, entry.requests.length);
    case "count":
      state.uncompared += entry.count;
      return countMore(state, entry.count);
    case "recovery":
      state.lastAt = entry.at;
      await addRecovery(state, entry.recovery, ledger);
      return startFrom(state, entry);
    case "end":
      state.lastAt = entry.at;
  }
}

/** Adds a recovery. A ledger that contains this recovery accounts for every earlier entry. */
async function addRecovery(state: ComparisonState, id: string, ledger: JournaledLedger): Promise<void> {
  if (await ledger.recovery?.isRecoveryKnown(id)) {
    Object.assign(state, { batch: [], unknown: 0, uncompared: 0, isComplete: true });
  } else if (state.isStart) state.isComplete = false;
}

function startFrom(state: ComparisonState, expected: ExpectedLedger): void {
  state.isStart = false;
  state.expected = expected;
}

function countMore(state: ComparisonState, count: number): void {
  state.expected = { ...state.expected, requests: state.expected.requests + count };
}

async function compareBatch(state: ComparisonState, { recovery }: JournaledLedger): Promise<void> {
  const requests = state.batch;
  state.batch = [];
  if (recovery === undefined) state.uncompared += requests.length;
  else if (requests.length > 0) state.unknown += (await recovery.unknownRequests(requests)).length;
}
