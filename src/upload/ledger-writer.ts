import type { Clock } from "../time/clock.ts";
import type { Intent, Ledger, AttemptOutcome } from "../ledger/ledger.ts";

/**
 * Writes intents and outcomes to the ledger in groups and strictly one after another: an outcome handed in before an
 * intent is on disk no later than it. Everything waits while the disk takes a group, so outcomes go with the next
 * intents; where none come, they wait for company at most twice `FLUSH_MS`.
 */
export interface LedgerWriter {
  /**
   * Resolves when the intents are durable, and in the same stroke what came of the attempts before that they repeat.
   * @throws what the ledger throws
   */
  readonly saveIntents: (intents: readonly Intent[], repeated?: readonly RepeatedAttempt[]) => Promise<void>;
  /** `onSaved` is called when the outcome is durable. */
  readonly saveOutcome: (settlement: AttemptOutcome, onSaved: () => void) => void;
  /** Writes what is left, trying once more what the ledger had refused; returns what it still refuses. */
  readonly close: () => Promise<readonly AttemptOutcome[]>;
}

/** The outcome of an attempt that is to be repeated. */
interface RepeatedAttempt {
  readonly settlement: AttemptOutcome;
  /** What is written down instead when the new attempt cannot be: without it, a doubt must not be forgotten. */
  readonly alone: AttemptOutcome;
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
  readonly settlement: AttemptOutcome;
  readonly alone?: AttemptOutcome;
  readonly onSaved?: () => void;
}

export function createLedgerWriter({ ledger, run, clock, onFailure }: LedgerWriterOptions): LedgerWriter {
  const pages = createLedgerTransactions(ledger, run);
  let buffered: Entry[] = [];
  let last: Promise<void> = Promise.resolve();
  const over = new AbortController();
  let timing = false;
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
    last = last.then(() => pages.write(entries).catch(onFailure));
  };

  /** One timer at a time, never reset; it runs once more when a group has left meanwhile. */
  const flushLater = async (): Promise<void> => {
    timing = true;
    for (let before = -1; before !== groups && !over.signal.aborted;) {
      before = groups;
      await clock.sleep(FLUSH_MS, over.signal);
    }
    timing = false;
    flush();
  };

  return {
    saveIntents(intents, repeated = []) {
      const entries = [...take(), ...repeated];
      const intended = last.then(() => pages.write(entries, intents));
      last = intended.catch(() => undefined);
      return intended;
    },
    saveOutcome(settlement, onSaved) {
      buffered.push({ settlement, onSaved });
      if (buffered.length >= FLUSH_AT) flush();
      else if (!timing) void flushLater();
    },
    async close() {
      over.abort();
      flush();
      await last;
      return pages.writeRefused();
    },
  };
}

interface LedgerTransactions {
  /** Outcomes, with intents or without, in one transaction; what the ledger refuses is kept. */
  readonly write: (entries: readonly Entry[], intents?: readonly Intent[]) => Promise<void>;
  /** Tries that once more, and returns what is refused again. */
  readonly writeRefused: () => Promise<readonly AttemptOutcome[]>;
}

function createLedgerTransactions(ledger: LedgerWriterOptions["ledger"], run: string): LedgerTransactions {
  let refused: readonly Entry[] = [];

  const write: LedgerTransactions["write"] = async (entries, intents) => {
    const settled = entries.map(({ settlement }) => settlement);
    try {
      await (intents === undefined ? ledger.saveOutcomes(run, settled) : ledger.saveIntents(run, intents, settled));
    } catch (error) {
      refused = [
        ...refused,
        ...entries.map(({ settlement, alone = settlement, ...entry }) => ({ ...entry, settlement: alone })),
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
      return refused.map(({ settlement }) => settlement);
    },
  };
}
