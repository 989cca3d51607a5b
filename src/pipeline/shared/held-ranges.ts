import type { RecordRange, SharedWorker } from "../../ledger/runs/shared-run.ts";
import { createMutex } from "../../time/mutex.ts";
import type { UploadLedger } from "../../upload/upload-types.ts";

export interface HeldRanges {
  readonly take: (range: RecordRange) => void;
  /** Call this when all records of the range have been passed on for sending. */
  readonly fed: (range: RecordRange) => void;
  readonly unsettled: () => readonly RecordRange[];
  /** Whether any record has an intent but no outcome yet. */
  readonly isInProgress: () => boolean;
}

/** The ranges that a worker holds, and their progress. */
export interface RangeProgress extends HeldRanges {
  /** Returns the number of settled ranges. */
  readonly settled: () => number;
  /** Settles the ranges that have no records left to send. */
  readonly settle: () => Promise<void>;
  /**
   * Settles all ranges whose records have all been passed on for sending, even if some of them have not been sent.
   * `migrate resume` then sends the remaining records. Call this when no request is in flight.
   */
  readonly settleAll: () => Promise<void>;
  /** Writes with the fencing tokens of the worker, and tracks records in flight. */
  readonly ledger: UploadLedger;
}

interface Held {
  readonly range: RecordRange;
  isFed: boolean;
  /** Numbers of the records with an intent but no outcome. */
  readonly open: Set<number>;
}

/**
 * Tracks the progress of the worker's ranges.
 * @param isLeft returns whether records of the range are left to send
 */
export function createRangeProgress(
  worker: SharedWorker,
  isLeft: (range: RecordRange) => Promise<boolean>,
): RangeProgress {
  const held = new Map<number, Held>();
  let settled = 0;
  const openOf = (record: number): Set<number> | undefined =>
    [...held.values()].find(({ range }) => record >= range.first && record <= range.last)?.open;
  const inTurn = createMutex();
  const finish = async (range: RecordRange): Promise<void> => {
    await worker.finish(range);
    held.delete(range.first);
    settled += 1;
  };
  return {
    take: (range) => void held.set(range.first, { range, isFed: false, open: new Set() }),
    fed({ first }) {
      const one = held.get(first);
      if (one !== undefined) one.isFed = true;
    },
    unsettled: () => [...held.values()].map(({ range }) => range),
    settled: () => settled,
    isInProgress: () => [...held.values()].some(({ open }) => open.size > 0),
    settle: () =>
      inTurn(async () => {
        for (const { range, isFed, open } of held.values()) {
          if (!isFed || open.size > 0 || (await isLeft(range)) || open.size > 0) continue;
          await finish(range);
        }
      }),
    settleAll: () =>
      inTurn(async () => {
        for (const { range, isFed, open } of held.values()) if (isFed && open.size === 0) await finish(range);
      }),
    ledger: {
      async saveIntents(run, intents, outcomes = []) {
        for (const { record } of intents) openOf(record)?.add(record);
        await worker.saveIntents(run, intents, outcomes);
        const again = new Set(intents.map(({ record }) => record));
        for (const { record } of outcomes) if (!again.has(record)) openOf(record)?.delete(record);
      },
      async saveOutcomes(run, outcomes) {
        await worker.saveOutcomes(run, outcomes);
        for (const { record } of outcomes) openOf(record)?.delete(record);
      },
    },
  };
}
