import type { HeartbeatReply, RecordRange } from "../../ledger/runs/shared-run.ts";
import type { Sleeper } from "../../time/clock.ts";
import type { RecordToSend } from "../../upload/upload-types.ts";
import type { HeldRanges } from "./held-ranges.ts";
import type { HeartbeatReplies } from "./heartbeat.ts";

export interface RangeFeed {
  /** Claims the next range; undefined if no range is available at the moment. */
  readonly claim: () => Promise<RecordRange | undefined>;
  /** @throws Failure `ledger_outdated` if an older copy has replaced the ledger */
  readonly requireNotRestored?: (() => Promise<void>) | undefined;
  readonly ranges: HeldRanges;
  readonly heartbeat: HeartbeatReplies;
  /** Whether the limits of the run allow this worker at least one concurrent request. */
  readonly isWanted: () => boolean;
  /** Returns the current rate of this worker, in outcomes per second. */
  readonly perSecond: () => number;
  readonly leaving: AbortSignal;
  readonly clock: Sleeper;
  /** Yields the records of a range to send, in input order. */
  readonly recordsOf: (range: RecordRange) => AsyncGenerator<readonly RecordToSend[]>;
}

/**
 * Yields the records of the ranges that the worker already holds. Then claims one range after another and yields their
 * records. If another worker has lost a range, claims the lost range immediately, and yields its records before the
 * rest of the current range.
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
      if (!ranges.isInProgress()) return;
      await clock.sleep(heartbeat.everyMs, leaving);
      continue;
    }
    ranges.take(range);
    yield* wholeRange(range);
  }
}

/**
 * Claims a range, then checks whether the ledger was restored. If the ledger is restored later, the restored database
 * does not contain the claim and rejects the writes of this worker.
 */
async function claim(feed: RangeFeed): Promise<RecordRange | undefined> {
  const range = feed.isWanted() ? await feed.claim() : undefined;
  if (range !== undefined) await feed.requireNotRestored?.();
  return range;
}

/**
 * Returns a function that claims a range that another worker has lost. The workers that joined first claim one such
 * range each.
 */
function lostRanges(feed: RangeFeed): () => Promise<RecordRange | undefined> {
  let seen: HeartbeatReply | undefined;
  return async () => {
    const lastReply = feed.heartbeat.lastReply();
    if (lastReply === undefined || lastReply === seen || feed.leaving.aborted) return undefined;
    seen = lastReply;
    return lastReply.released > lastReply.position ? claim(feed) : undefined;
  };
}

const SMALLEST_PIECE = 8;

/** Splits batches into pieces of about one second of work. */
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
