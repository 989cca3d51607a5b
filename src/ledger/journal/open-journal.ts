import { type Clock, timestamp } from "../../time/clock.ts";
import type { SentRequest } from "../records/requests.ts";
import type { JournaledRequest } from "./recovery.ts";
import type { JournaledLedger, RunHistory } from "../ledger.ts";
import { rowMarker } from "../records/row-hash.ts";
import {
  compareJournal,
  endsUpToDate,
  type JournalComparison,
  type JournalPlace,
  journalsOf,
} from "./compare-journal.ts";
import { type JournalFile, type JournalRescue, openJournalFile } from "./journal-file.ts";
import { type ExpectedLedger, framesOf, type JournalEntry, MAGIC, requestFrameBytes } from "./journal-format.ts";
import { journalFile, readJournal, readLastEntry } from "./journal-reader.ts";
import { statSync } from "node:fs";

/**
 * A log, outside the ledger, of the requests that a run sends. A ledger that lacks some of these requests is an older
 * copy or a different ledger, and a run with that ledger would send the requests again. The journal never has more
 * requests than its ledger. An entry is written after the ledger has committed the intents, and before their requests
 * are sent.
 */
export interface Journal {
  /**
   * Call this before the run sends requests. The entry is durable when the promise resolves.
   * @throws Failure `storage`
   */
  readonly begin: (run: string) => Promise<void>;
  /**
   * Call this before the ledger commits the intents of requests that are then passed to `add`. If the disk is full,
   * this call fails, so that no intents are saved for requests that cannot be sent.
   * @throws Failure `storage`
   */
  readonly reserve: (requests: number) => void;
  /**
   * Call this before these requests are sent. The entry survives if the process is killed. A power failure may lose the
   * entries since the last sync. While entries are added, the file is synced about once per second.
   */
  readonly add: (intents: readonly SentRequest[]) => void;
  /** Call this instead of `add` if only the number of the requests is known. */
  readonly addCount: (count: number) => void;
  /** Appends the last entry of the run. The entry is durable when the promise resolves. */
  readonly end: () => Promise<void>;
}

export interface JournalOptions extends JournalRescue {
  readonly clock: Clock;
}

const SYNC_INTERVAL_MS = 1000;

/**
 * Opens the journal of a ledger. Call this only if no journal shows that the ledger lacks requests (`findOutdated`).
 */
export function openJournal(
  { folder, ledgerName }: JournalPlace,
  ledger: RunHistory,
  { clock, ...options }: JournalOptions,
): Journal {
  let file: JournalFile | undefined;
  let expected: ExpectedLedger = { requests: 0 };
  let markOf: ((rowHash: number) => number) | undefined;
  const syncs = createSyncs(clock);

  const append = (entry: JournalEntry): void => file?.append(framesOf(entry));
  const more = (count: number): void => {
    expected = { ...expected, requests: expected.requests + count };
    if (file !== undefined) syncs.syncIfDue(file);
  };

  return {
    async begin(run) {
      const { id = run, requests } = await ledger.history();
      const path = journalFile(folder, ledgerName, id);
      const validBytes = validBytesOf(path);
      file = openJournalFile(path, { ...options, validBytes });
      expected = { run, requests };
      const destination = await ledger.findRun(run);
      markOf = destination && rowMarker(destination);
      if (validBytes === 0) append({ kind: "ledger", name: ledgerName, id });
      append({ kind: "begin", run, at: timestamp(clock), requests });
      await file.sync();
    },
    reserve: (requests) => file?.reserve(requestFrameBytes(requests)),
    add(intents) {
      if (intents.length === 0) return;
      const requests = intents.map(({ identity, content, attempt, idempotent, isPoll, rowHash }): JournaledRequest => {
        const rowMark = rowHash === undefined ? undefined : markOf?.(rowHash);
        return { identity, content, attempt, idempotent, isPoll, rowMark };
      });
      append({ kind: "requests", requests });
      more(requests.length);
    },
    addCount(count) {
      append({ kind: "count", count });
      more(count);
    },
    async end() {
      if (file === undefined) return;
      const ended = file;
      file = undefined;
      try {
        await syncs.ended();
        ended.append(framesOf({ kind: "end", at: timestamp(clock), ...expected }));
        await ended.sync();
      } finally {
        ended.close();
      }
    },
  };
}

/** Syncs the file: one sync at a time, at most once per second. */
function createSyncs(clock: Clock) {
  let latest: Promise<void> = Promise.resolve();
  let isSyncing = false;
  let syncedAt = clock.monotonic();
  return {
    syncIfDue(file: JournalFile): void {
      if (isSyncing || clock.monotonic() - syncedAt < SYNC_INTERVAL_MS) return;
      syncedAt = clock.monotonic();
      isSyncing = true;
      latest = file.sync().finally(() => {
        isSyncing = false;
      });
      latest.catch(() => undefined);
    },
    /** @throws the error of the latest sync */
    ended: () => latest,
  };
}

/**
 * Returns the number of bytes up to the end of the last complete entry; 0 if the journal does not exist or has no
 * entry.
 */
function validBytesOf(file: string): number {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size <= MAGIC.length) return 0;
  if (readLastEntry(file) !== undefined) return size;
  const entries = readJournal(file);
  for (;;) {
    const next = entries.next();
    if (next.done === true) return next.value.validBytes <= MAGIC.length ? 0 : next.value.validBytes;
  }
}

/**
 * Returns the journals that contain requests missing from this ledger, or that cannot show that the ledger has every
 * request.
 */
export async function findOutdated(
  place: JournalPlace,
  ledger: JournaledLedger,
): Promise<readonly JournalComparison[]> {
  const { id } = await ledger.history();
  const outdated: JournalComparison[] = [];
  for (const file of journalsOf(place, id)) {
    if (await endsUpToDate(file, ledger)) continue;
    const comparison = await compareJournal(file, ledger);
    if (!comparison.isUpToDate) outdated.push(comparison);
  }
  return outdated;
}
