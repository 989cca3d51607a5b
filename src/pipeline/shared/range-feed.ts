import type { Orders, RecordRange, SharedWorker } from "../../ledger/runs/shared-run.ts";
import type { Clock } from "../../time/clock.ts";
import type { RecordToSend } from "../../upload/upload-types.ts";
import type { RangeProgress } from "./held-ranges.ts";
import type { Heartbeat } from "./heartbeat.ts";
import type { WorkerPace } from "./worker-pace.ts";

export interface RangeFeed {
  readonly worker: Pick<SharedWorker, "claim">;
  /** @throws Failure `ledger_outdated` when the ledger was restored meanwhile */
  readonly requireUnrestored?: (() => Promise<void>) | undefined;
  readonly ranges: Pick<RangeProgress, "take" | "fed" | "unsettled" | "isUnderWay">;
  readonly heartbeat: Pick<Heartbeat, "orders" | "everyMs">;
  readonly workerPace: Pick<WorkerPace, "isWanted">;
  /** Outcomes a second of this worker just now. */
  readonly perSecond: () => number;
  readonly leaving: AbortSignal;
  readonly clock: Pick<Clock, "sleep">;
  /** What is to be sent of a range, in input order. */
  readonly recordsOf: (range: RecordRange) => AsyncGenerator<readonly RecordToSend[]>;
}

/**
 * What is left of the ranges that the worker holds, then range after range, as long as there are any. A range that another worker
 * has lost does not wait until somebody has finished another one.
 */
export async function* recordsOfRanges(feed: RangeFeed): AsyncGenerator<readonly RecordToSend[]> {
  const { ranges, heartbeat, leaving, clock } = feed;
  const lostRange = lostRanges(feed);
  const wholeRange = async function* (range: RecordRange): AsyncGenerator<readonly RecordToSend[]> {
    for (let next = range.first; next <= range.last;) {
      let urgent: RecordRange | undefined;
      for await (const some of inPieces(feed.recordsOf({ first: next, last: range.last }), feed.perSecond)) {
        yield some;
        next = (some.at(-1)?.record ?? next) + 1;
        urgent = await lostRange();
        if (urgent !== undefined) break;
      }
      if (urgent === undefined) break;
      ranges.take(urgent);
      yield* wholeRange(urgent);
    }
    ranges.fed(range);
  };

  for (const range of ranges.unsettled()) yield* wholeRange(range);
  while (!leaving.aborted) {
    const range = await claim(feed);
    if (range === undefined) {
      if (!ranges.isUnderWay()) return;
      await clock.sleep(heartbeat.everyMs, leaving);
      continue;
    }
    ranges.take(range);
    yield* wholeRange(range);
  }
}

/** A restore before the look is seen; after one that comes later, the database does not know the claim. */
async function claim({ worker, workerPace, requireUnrestored }: RangeFeed): Promise<RecordRange | undefined> {
  const range = workerPace.isWanted() ? await worker.claim() : undefined;
  if (range !== undefined) await requireUnrestored?.();
  return range;
}

/** Takes a range that was given back: of so many, so many workers take one each, those that joined first. */
function lostRanges(feed: RangeFeed): () => Promise<RecordRange | undefined> {
  let seen: Orders | undefined;
  return async () => {
    const orders = feed.heartbeat.orders();
    if (orders === undefined || orders === seen || feed.leaving.aborted) return undefined;
    seen = orders;
    return orders.givenBack > orders.position ? claim(feed) : undefined;
  };
}

const SMALLEST_PIECE = 8;

/** In pieces of a second or so. */
async function* inPieces<Item>(
  batches: AsyncGenerator<readonly Item[]>,
  perSecond: () => number,
): AsyncGenerator<readonly Item[]> {
  for await (const batch of batches) {
    for (let at = 0; at < batch.length;) {
      const size = Math.max(SMALLEST_PIECE, Math.ceil(perSecond()));
      yield batch.slice(at, at + size);
      at += size;
    }
  }
}
