import { describe, expect, test } from "vitest";
import { createRateControl, type RateControl } from "../../../src/upload/rate/adaptive-concurrency.ts";
import type { PaceShare, UploadEvent, UploadOptions } from "../../../src/upload/upload-types.ts";
import { ACCEPTED, busy, fakeClock, play } from "../scene.ts";

interface Bench {
  readonly pace: RateControl;
  readonly events: UploadEvent[];
  readonly pass: (ms: number) => void;
  /** Simulates this number of windows, in which each reply took `durationMs`. */
  readonly windows: (count: number, durationMs: number) => void;
}

function bench(options: Pick<UploadOptions, "concurrency" | "ceiling" | "rps" | "share">): Bench {
  let now = 0;
  const events: UploadEvent[] = [];
  const clock = { now: () => now, monotonic: () => now, sleep: () => Promise.resolve() };
  const pace = createRateControl(options, { clock, random: () => 1, onChange: (event) => events.push(event) });
  return {
    pace,
    events,
    pass: (ms) => void (now += ms),
    windows(count, durationMs) {
      for (let window = 0; window < count; window += 1) {
        const size = pace.limit();
        for (let reply = 0; reply < size; reply += 1) pace.answered(durationMs, size);
      }
    },
  };
}

const never = new AbortController().signal;

describe("automatic concurrency", () => {
  test("starts at 4 and adds one per window up to the ceiling", () => {
    const { pace, windows, events } = bench({ concurrency: "auto" });
    expect(pace.limit()).toBe(4);
    windows(3, 50);
    expect(pace.limit()).toBe(7);
    windows(50, 50);
    expect(pace.limit()).toBe(16);
    expect(events[0]).toEqual({ kind: "pace", limit: 5, reason: "replies are still fast" });
  });

  test("reverts the last step when replies become much slower, and tries again later", () => {
    const { pace, windows, events } = bench({ concurrency: "auto" });
    windows(2, 50);
    expect(pace.limit()).toBe(6);
    windows(20, 90);
    expect(pace.limit()).toBe(5);
    expect(events.at(-1)).toEqual({ kind: "pace", limit: 5, reason: "more concurrency only made replies slower" });
    windows(2, 55);
    expect(pace.limit()).toBe(7);
  });

  test("does not immediately retry a step that made replies slower", () => {
    const { pace, windows } = bench({ concurrency: "auto" });
    windows(2, 50);
    windows(1, 90);
    windows(9, 50);
    expect(pace.limit()).toBe(5);
    windows(1, 50);
    expect(pace.limit()).toBe(6);
  });

  test("does not grow while less than half of it is used", () => {
    const { pace } = bench({ concurrency: "auto" });
    for (let reply = 0; reply < 100; reply += 1) pace.answered(50, 1);
    expect(pace.limit()).toBe(4);
  });

  test("starts at the ceiling if that is below the usual start", () => {
    expect(bench({ concurrency: "auto", ceiling: 2 }).pace.limit()).toBe(2);
  });
});

describe("push-back:", () => {
  test("a fixed concurrency is used immediately, halved on push-back, and restored step by step", () => {
    const { pace, windows, events } = bench({ concurrency: 32 });
    expect(pace.limit()).toBe(32);
    pace.pushedBack(pace.epoch(), { reason: "503" });
    expect(pace.limit()).toBe(16);
    windows(40, 500);
    expect(pace.limit()).toBe(32);
    expect(events).toContainEqual({ kind: "pace", limit: 16, reason: "503" });
  });

  test("a single refusal halves the concurrency without a pause, and each later success adds one", () => {
    const { pace, events } = bench({ concurrency: 8 });
    const earlier = pace.epoch();
    pace.answered(50, 8);
    pace.pushedBack(pace.epoch(), { reason: "HTTP 503" });
    expect(pace.limit()).toBe(4);
    expect(pace.waitForTurn(never)).toBeUndefined();
    pace.answered(50, 8, earlier);
    expect(pace.limit()).toBe(4);
    for (let reply = 0; reply < 4; reply += 1) pace.answered(50, 4);
    expect(pace.limit()).toBe(8);
    expect(events.filter(({ kind }) => kind === "pause")).toEqual([]);
  });

  test("a burst of refusals counts only once, and the concurrency never falls below one", () => {
    const { pace } = bench({ concurrency: 8 });
    const volley = Array.from({ length: 8 }, () => pace.epoch());
    for (const ticket of volley) pace.pushedBack(ticket, { reason: "429" });
    expect(pace.limit()).toBe(4);
    for (let again = 0; again < 9; again += 1) pace.pushedBack(pace.epoch(), { reason: "429" });
    expect(pace.limit()).toBe(1);
  });

  test("Retry-After pauses all requests, and the longest pause applies", () => {
    const { pace, pass, events } = bench({ concurrency: 8 });
    expect(pace.waitForTurn(never)).toBeUndefined();
    pace.pushedBack(pace.epoch(), { reason: "429", afterMs: 5_000 });
    pace.pushedBack(pace.epoch(), { reason: "429", afterMs: 2_000 });
    pass(4_999);
    expect(pace.waitForTurn(never)).toBeInstanceOf(Promise);
    pass(1);
    expect(pace.waitForTurn(never)).toBeUndefined();
    expect(events).toContainEqual({ kind: "pause", forMs: 5_000, reason: "429" });
  });

  test("without Retry-After, the pauses double up to 8 s as long as nothing succeeds", () => {
    const { pace, pass, events } = bench({ concurrency: 8 });
    for (let again = 0; again < 8; again += 1) {
      pace.pushedBack(pace.epoch(), { reason: "429" });
      pass(30_000);
    }
    const pauses = events.flatMap((event) => (event.kind === "pause" ? [event.forMs] : []));
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000, 8_000]);
  });

  test("a Retry-After of 0 does not cause a burst", () => {
    const { pace, events } = bench({ concurrency: 8 });
    for (let again = 0; again < 5; again += 1) pace.pushedBack(pace.epoch(), { reason: "429", afterMs: 0 });
    expect(events.flatMap((event) => (event.kind === "pause" ? [event.forMs] : []))).toEqual([4_000, 8_000]);
  });

  test("a timeout halves the concurrency without a pause", () => {
    const { pace } = bench({ concurrency: 8 });
    pace.pushedBack(pace.epoch(), { reason: "timeout" });
    expect(pace.limit()).toBe(4);
    expect(pace.waitForTurn(never)).toBeUndefined();
  });
});

describe("in an upload,", () => {
  test("--rps is respected", async () => {
    const times: number[] = [];
    await play(
      ({ clock }) => {
        times.push(clock.monotonic());
        return ACCEPTED;
      },
      { records: 100, rps: 10, concurrency: 16 },
    );
    expect(times.at(-1)).toBeCloseTo(9_900, 0);
    expect(times.filter((time) => time < 1_000)).toHaveLength(10);
  });

  test("the concurrency limit of a platform that replies with 429 above ten requests is found", async () => {
    let refused = 0;
    const { end, sent } = await play(
      async ({ inFlight, clock }) => {
        if (inFlight > 10) {
          refused += 1;
          return busy();
        }
        await clock.sleep(50);
        return { ...ACCEPTED, durationMs: 50 };
      },
      { records: 2_000, concurrency: "auto", clock: fakeClock() },
    );
    expect(end.counts).toEqual({ accepted: 2_000 });
    expect(refused / sent.length).toBeLessThan(0.05);
  });
});

describe("a worker's share of the pace", () => {
  test("limits the concurrency of the worker, and restores it when the share grows", () => {
    let limit = 2;
    const { pace, windows } = bench({ concurrency: "auto", share: () => ({ limit, holdMs: 0 }) });
    windows(3, 50);
    expect(pace.limit()).toBe(2);
    limit = 7;
    expect(pace.limit()).toBe(5);
    windows(3, 50);
    expect(pace.limit()).toBe(7);
  });

  test("spaces requests according to the share of the rate", () => {
    let rps = 10;
    const { pace, pass } = bench({ concurrency: 16, rps: 100, share: () => ({ limit: 16, rps, holdMs: 0 }) });
    expect(pace.waitForTurn(never)).toBeUndefined();
    pass(99);
    expect(pace.waitForTurn(never)).toBeDefined();
    pass(1);
    expect(pace.waitForTurn(never)).toBeUndefined();
    rps = 1000;
    pass(100);
    expect(pace.waitForTurn(never)).toBeUndefined();
    expect(pace.waitForTurn(never)).toBeUndefined();
  });

  test("holds every request while another worker must wait", () => {
    let holdMs = 500;
    const { pace } = bench({ concurrency: 4, share: () => ({ limit: 4, holdMs }) });
    expect(pace.waitForTurn(never)).toBeDefined();
    expect(pace.waitForPause(never)).toBeDefined();
    holdMs = 0;
    expect(pace.waitForTurn(never)).toBeUndefined();
  });
});

describe("a worker in a run of several workers", () => {
  test("slows down to the rate that another worker found, and takes over the share of a worker that has left", () => {
    let share: PaceShare = { limit: 16, holdMs: 0, workers: 4 };
    const one = bench({ concurrency: 16, share: () => share, rps: 1000 });
    expect(inASecond(one)).toBeGreaterThan(900);
    share = { ...share, found: { id: "first", perSecond: 10, at: 1_000 } };
    expect(inASecond(one)).toBeLessThanOrEqual(12);
    share = { ...share, workers: 2, found: { id: "first", perSecond: 20, at: 1_000 } };
    const twice = inASecond(one);
    expect(twice).toBeGreaterThanOrEqual(18);
    expect(twice).toBeLessThanOrEqual(26);
  });

  test("ignores a rate from the other workers that results from its own refusal", () => {
    let share: PaceShare = { limit: 16, holdMs: 0, workers: 2 };
    const one = bench({ concurrency: 16, share: () => share });
    for (let reply = 0; reply < 40; reply += 1) {
      void one.pace.waitForTurn(never);
      one.pass(50);
      one.pace.answered(50, 16);
    }
    refuseThreeTimes(one);
    const found = one.events.findLast((event) => event.kind === "pace");
    if (found?.kind !== "pace" || found.perSecond === undefined) throw new Error("no rate was found");
    const before = inASecond(one);
    share = { ...share, found: { id: "own", perSecond: found.perSecond / 4, at: 2_100 } };
    expect(inASecond(one)).toBeGreaterThanOrEqual(before);
  });
});

/** Refuses three requests, because the first two refusals do not reveal a rate. */
function refuseThreeTimes({ pace, pass }: Bench): void {
  for (let refusal = 0; refusal < 3; refusal += 1) {
    pass(50);
    pace.answered(50, 16);
    pace.pushedBack(pace.epoch(), { reason: "HTTP 429" });
  }
}

/** Returns the number of requests that may be sent within a second. */
function inASecond({ pace, pass }: Bench): number {
  let left = 0;
  for (let ms = 0; ms < 1000; ms += 1) {
    while (pace.waitForTurn(never) === undefined) left += 1;
    pass(1);
  }
  return left;
}
