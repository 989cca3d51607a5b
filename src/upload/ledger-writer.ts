import type { Clock } from "../time/clock.ts";
import type { Intent, Ledger, AttemptOutcome } from "../ledger/ledger.ts";

/**
 * Writes intents and outcomes to the ledger in groups, one group after another: an outcome that was handed in before an
 * intent is on disk no later than the intent. Outcomes are written with the next intents; where none come, after at most
 * twice `FLUSH_MS`.
 */
export interface LedgerWriter {
  /**
   * Resolves when the intents are durable, and in the same transaction the outcomes of the attempts that they repeat.
   * @throws what the ledger throws
   */
  readonly saveIntents: (intents: readonly Intent[], repeated?: readonly RepeatedAttempt[]) => Promise<void>;
  /** `onSaved` is called when the outcome is durable. */
  readonly saveOutcome: (outcome: AttemptOutcome, onSaved: () => void) => void;
  /** Writes what is left, and once more what the ledger had refused; returns what it refuses again. */
  readonly close: () => Promise<readonly AttemptOutcome[]>;
}

/** The outcome of an attempt that is to be repeated. */
export interface RepeatedAttempt {
  readonly outcome: AttemptOutcome;
  /** Written instead when the intent of the new attempt could not be: the record must stay ambiguous then. */
  readonly fallback: AttemptOutcome;
}

export interface LedgerWriterOptions {
  readonly ledger: Pick<Ledger, "saveIntents" | "saveOutcomes">;
  readonly run: string;
  readonly clock: Clock;
  /** The ledger could not take outcomes: nothing more should be sent. */
  readonly onFailure: (error: unknown) => void;
}

const FLUSH_MS = 120;
/** Twice the intents of a group at 32 in flight. */
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
  const closed = new AbortController();
  let isTimerSet = false;
  let groups = 0;

  const take = (): readonly Entry[] => {
    const entries = buffered;
    buffered = [];
    groups += 1;
    return entries;
  };

  const flush = (): void => {
    if (buffered.length === 0) return;
    const entries = take();
    last = last.then(() => transactions.write(entries).catch(onFailure));
  };

  /** One timer at a time, never reset; it runs once more when a group was written meanwhile. */
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
      const entries = [...take(), ...repeated];
      const intended = last.then(() => transactions.write(entries, intents));
      last = intended.catch(() => undefined);
      return intended;
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
      return transactions.writeRefused();
    },
  };
}

interface LedgerTransactions {
  /** Writes outcomes, with intents or without, in one transaction; what the ledger refuses is kept. */
  readonly write: (entries: readonly Entry[], intents?: readonly Intent[]) => Promise<void>;
  /** Writes what was refused once more, and returns what is refused again. */
  readonly writeRefused: () => Promise<readonly AttemptOutcome[]>;
}

function createLedgerTransactions(ledger: LedgerWriterOptions["ledger"], run: string): LedgerTransactions {
  let refused: readonly Entry[] = [];

  const write: LedgerTransactions["write"] = async (entries, intents) => {
    const outcomes = entries.map(({ outcome }) => outcome);
    try {
      await (intents === undefined ? ledger.saveOutcomes(run, outcomes) : ledger.saveIntents(run, intents, outcomes));
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
    write,
    async writeRefused() {
      const again = refused;
      refused = [];
      if (again.length > 0) await write(again).catch(() => undefined);
      return refused.map(({ outcome }) => outcome);
    },
  };
}
