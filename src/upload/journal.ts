import type { Clock } from "../model/clock.ts";
import type { Intent, Ledger, Settlement } from "../ledger/ledger.ts";

/**
 * Writes intents and outcomes to the ledger in groups and strictly one after another: an outcome handed in before an
 * intent is on disk before it. Outcomes wait for company at most `FLUSH_MS`, or for the next intents.
 */
export interface Journal {
  /** Resolves when the intents are durable. @throws what the ledger throws */
  readonly intend: (intents: readonly Intent[]) => Promise<void>;
  /** `onSaved` is called when the outcome is durable. */
  readonly settle: (settlement: Settlement, onSaved: () => void) => void;
  /** Writes what is left, trying once more what the ledger had refused; returns what it still refuses. */
  readonly close: () => Promise<readonly Settlement[]>;
}

export interface JournalOptions {
  readonly ledger: Pick<Ledger, "intend" | "settle">;
  readonly run: string;
  readonly clock: Clock;
  /** The ledger could not take outcomes: nothing more should be sent. */
  readonly onFailure: (error: unknown) => void;
}

const FLUSH_MS = 50;
const FLUSH_AT = 64;

interface Entry {
  readonly settlement: Settlement;
  readonly onSaved: () => void;
}

export function createJournal({ ledger, run, clock, onFailure }: JournalOptions): Journal {
  let buffered: Entry[] = [];
  let refused: Entry[] = [];
  let last: Promise<void> = Promise.resolve();
  const over = new AbortController();
  let timing = false;

  const save = async (entries: readonly Entry[]): Promise<void> => {
    const settlements = entries.map((entry) => entry.settlement);
    await ledger.settle(run, settlements);
    for (const entry of entries) entry.onSaved();
  };

  const flush = (): void => {
    if (buffered.length === 0) return;
    const entries = buffered;
    buffered = [];
    last = last.then(() =>
      save(entries).catch((error: unknown) => {
        refused.push(...entries);
        onFailure(error);
      }),
    );
  };

  /** One timer at a time, never reset: aborting one for every group costs more than a group written early. */
  const flushLater = async (): Promise<void> => {
    timing = true;
    await clock.sleep(FLUSH_MS, over.signal);
    timing = false;
    flush();
  };

  return {
    intend(intents) {
      flush();
      const intended = last.then(() => ledger.intend(run, intents));
      last = intended.catch(() => undefined);
      return intended;
    },
    settle(settlement, onSaved) {
      buffered.push({ settlement, onSaved });
      if (buffered.length >= FLUSH_AT) flush();
      else if (!timing) void flushLater();
    },
    async close() {
      over.abort();
      flush();
      await last;
      if (refused.length === 0) return [];
      const again = refused;
      refused = [];
      await save(again).catch(() => refused.push(...again));
      return refused.map((entry) => entry.settlement);
    },
  };
}
