import { expect, test } from "vitest";
import type { HeartbeatReply, RecordRange } from "../../../src/ledger/runs/shared-run.ts";
import { Failure } from "../../../src/model/failure.ts";
import { recordsOfRanges, type RangeFeed } from "../../../src/pipeline/shared/range-feed.ts";
import type { RecordToSend } from "../../../src/upload/upload-types.ts";

function toSend(record: number): RecordToSend {
  return {
    record,
    identity: new Uint8Array(),
    content: new Uint8Array(),
    attempts: 0,
    isAmbiguous: false,
    prior: "none",
    payload: {},
    locate: () => undefined,
  };
}

function orders(released: number, position = 0): HeartbeatReply {
  const ranges = { waiting: released, taken: 1, done: 0 };
  return { state: "open", concurrency: 1, workers: 2, position, isKnown: true, holdMs: 0, ranges, released };
}

/** Creates the feed of a worker that can claim these ranges. Its input comes in batches of 100. */
function scene(claimable: readonly RecordRange[]) {
  const waiting = [...claimable];
  const fed: number[] = [];
  const seen = { orders: orders(0), perSecond: 20 };
  const feed: RangeFeed = {
    claim: async () => waiting.shift(),
    ranges: {
      take: () => undefined,
      fed: ({ first }) => void fed.push(first),
      unsettled: () => [],
      isInProgress: () => false,
    },
    heartbeat: { lastReply: () => seen.orders, everyMs: 1_000 },
    isWanted: () => true,
    perSecond: () => seen.perSecond,
    leaving: new AbortController().signal,
    clock: { sleep: async () => undefined },
    async *recordsOf({ first, last }) {
      for (let from = first; from <= last; from += 100) {
        const to = Math.min(from + 99, last);
        yield Array.from({ length: to - from + 1 }, (_, index) => toSend(from + index));
      }
    },
  };
  return { feed, seen, fed, waiting };
}

/** Returns the numbers of the first and the last record of each piece. */
async function pieces(
  feed: RangeFeed,
  afterEach: (count: number) => void = () => undefined,
): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const piece of recordsOfRanges(feed)) {
    found.push(`${piece[0]?.record}-${piece.at(-1)?.record}`);
    afterEach(found.length);
  }
  return found;
}

test("feeds ranges one after another, in pieces that take a second each", async () => {
  const { feed, fed } = scene([
    { first: 1, last: 50 },
    { first: 51, last: 60 },
  ]);
  expect(await pieces(feed)).toEqual(["1-20", "21-40", "41-50", "51-60"]);
  expect(fed).toEqual([1, 51]);
});

test("feeds a range that another worker lost, then the rest of its own range, and no record twice", async () => {
  const { feed, seen, fed } = scene([
    { first: 101, last: 300 },
    { first: 1, last: 30 },
  ]);
  const found = await pieces(feed, (count) => {
    seen.orders = orders(count === 2 ? 1 : 0);
  });
  expect(found.slice(0, 5)).toEqual(["101-120", "121-140", "1-20", "21-30", "141-160"]);
  expect(found.at(-1)).toBe("281-300");
  expect(fed).toEqual([1, 101]);
});

test("lets the workers that joined first claim one lost range each per heartbeat", async () => {
  const ranges = [
    { first: 101, last: 200 },
    { first: 1, last: 10 },
  ];
  const second = scene(ranges);
  second.seen.orders = orders(1, 1);
  expect((await pieces(second.feed)).slice(0, 5)).toEqual(["101-120", "121-140", "141-160", "161-180", "181-200"]);
  const both = scene([...ranges, { first: 11, last: 20 }]);
  both.seen.orders = orders(2, 1);
  expect((await pieces(both.feed)).slice(0, 3)).toEqual(["101-120", "1-10", "121-140"]);
});

test("assigns no lost range to a worker that is about to leave", async () => {
  const leaving = new AbortController();
  const { feed, seen, waiting } = scene([
    { first: 101, last: 200 },
    { first: 1, last: 10 },
  ]);
  seen.orders = orders(1);
  await pieces({ ...feed, leaving: leaving.signal }, () => leaving.abort());
  expect(waiting).toHaveLength(1);
});

test("feeds no part of a range if the ledger was restored before the range was claimed", async () => {
  const { feed, fed, waiting } = scene([
    { first: 1, last: 10 },
    { first: 11, last: 20 },
  ]);
  const found: string[] = [];
  const isWhole = [true, false];
  const requireNotRestored = async (): Promise<void> => {
    // The range is claimed before this check.
    found.push(`${waiting.length} left`);
    if (isWhole.shift() !== true) throw new Failure("ledger_outdated", "restored", {});
  };
  const feeding = pieces({ ...feed, requireNotRestored }, () => void found.push("piece"));
  await expect(feeding).rejects.toMatchObject({ code: "ledger_outdated" });
  expect(found).toEqual(["1 left", "piece", "0 left"]);
  expect(fed).toEqual([1]);
});
