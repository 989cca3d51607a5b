import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { type Clock, timestamp } from "../time/clock.ts";
import type { Intent, AttemptOutcome } from "../ledger/records/requests.ts";
import type { UploadLedger } from "./upload-types.ts";

/**
 * Writes intents and outcomes to the ledger in groups, one group at a time. Intents and outcomes that are passed in
 * while a group is being written belong to the next group. If an outcome is passed in before an intent, it becomes
 * durable no later than the intent. Outcomes are written with the next intents, or after at most twice `FLUSH_MS`.
 */
export interface LedgerWriter {
  /**
   * Resolves when the intents are durable. The time of an intent is the time at which its group is written. The
   * outcomes of repeated attempts are written in the same transaction.
   * @throws errors from the ledger
   */
  readonly saveIntents: (intents: readonly NewIntent[], repeated?: readonly RepeatedAttempt[]) => Promise<void>;
  /** Saves the outcome, and calls `onSaved` when it is durable. */
  readonly saveOutcome: (outcome: AttemptOutcome, onSaved: () => void) => void;
  /**
   * Writes the remaining outcomes, and retries the outcomes that could not be written. Returns the outcomes that fail
   * again.
   */
  readonly close: () => Promise<readonly AttemptOutcome[]>;
}

/** An intent whose time is set when its group is written. */
export type NewIntent = Omit<Intent, "at">;

/** The outcome of an attempt that will be repeated. */
export interface RepeatedAttempt {
  readonly outcome: AttemptOutcome;
  /** Written instead of `outcome` if the new intent cannot be saved, because the record must then remain ambiguous. */
  readonly fallback: AttemptOutcome;
}

export interface LedgerWriterOptions {
  readonly ledger: UploadLedger;
  readonly run: string;
  readonly clock: Clock;
  /** Called when the ledger cannot save outcomes. The run must then stop sending. */
  readonly onFailure: (error: unknown) => void;
}

const FLUSH_MS = 120;
/**
 * Number of buffered outcomes that triggers a write: twice the number of intents in a group with 32 requests in flight.
 */
const FLUSH_AT = 128;

interface Entry {
  readonly outcome: AttemptOutcome;
  readonly fallback?: AttemptOutcome;
  readonly onSaved?: () => void;
}

export function createLedgerWriter({ ledger, run, clock, onFailure }: LedgerWriterOptions): LedgerWriter {
  const transactions = createLedgerTransactions(ledger, run);
  let buffered: Entry[] = [];
  let last: Promise<void> = Promise.resolve();
  /**
   * The group that is written after the current group. Outcomes that are still in the buffer when its write begins are
   * added to it.
   */
  let next: { readonly intents: NewIntent[]; readonly written: Promise<void> } | undefined;
  const closed = new AbortController();
  let isTimerSet = false;
  let groups = 0;

  const startGroup = (): NonNullable<typeof next> => {
    const intents: NewIntent[] = [];
    const written = last.then(yieldToEventLoop).then(() => {
      const entries = buffered;
      buffered = [];
      next = undefined;
      groups += 1;
      return transactions.write(entries, inOrder(intents, timestamp(clock)));
    });
    last = written.catch(() => undefined);
    return { intents, written };
  };

  const flush = (): void => {
    if (buffered.length === 0) return;
    next ??= startGroup();
    next.written.catch(onFailure);
  };

  /**
   * Writes buffered outcomes after a delay. There is only one timer at a time, and it is never reset. If a group was
   * written while the timer ran, the timer runs again.
   */
  const flushLater = async (): Promise<void> => {
    isTimerSet = true;
    for (let before = -1; before !== groups && !closed.signal.aborted;) {
      before = groups;
      await clock.sleep(FLUSH_MS, closed.signal);
    }
    isTimerSet = false;
    flush();
  };

  return {
    saveIntents(intents, repeated = []) {
      buffered.push(...repeated);
      next ??= startGroup();
      next.intents.push(...intents);
      return next.written;
    },
    saveOutcome(outcome, onSaved) {
      buffered.push({ outcome, onSaved });
      if (buffered.length >= FLUSH_AT) flush();
      else if (!isTimerSet) void flushLater();
    },
    async close() {
      closed.abort();
      flush();
      await last;
      return transactions.retryFailedWrites();
    },
  };
}

/** Sorts intents, so that one statement can write consecutive records of a step. */
function inOrder(intents: readonly NewIntent[], at: string): readonly Intent[] {
  const sorted = intents.toSorted((one, other) => one.attempt - other.attempt || one.record - other.record);
  return sorted.map((intent) => ({ ...intent, at }));
}

function createLedgerTransactions(ledger: UploadLedger, run: string) {
  let refused: readonly Entry[] = [];

  const write = async (entries: readonly Entry[], intents: readonly Intent[]) => {
    const outcomes = entries.map(({ outcome }) => outcome);
    try {
      await (intents.length === 0 ? ledger.saveOutcomes(run, outcomes) : ledger.saveIntents(run, intents, outcomes));
    } catch (error) {
      refused = [
        ...refused,
        ...entries.map(({ outcome, fallback = outcome, ...entry }) => ({ ...entry, outcome: fallback })),
      ];
      throw error;
    }
    for (const entry of entries) entry.onSaved?.();
  };

  return {
    /** Writes outcomes and intents in one transaction. Keeps outcomes that could not be written. */
    write,
    /** Returns the outcomes that fail again. */
    async retryFailedWrites(): Promise<readonly AttemptOutcome[]> {
      const again = refused;
      refused = [];
      if (again.length > 0) await write(again, []).catch(() => undefined);
      return refused.map(({ outcome }) => outcome);
    },
  };
}
