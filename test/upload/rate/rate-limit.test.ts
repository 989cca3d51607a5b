import { describe, expect, test } from "vitest";
import type { RequestResult } from "../../../src/platform/import/classified-request.ts";
import { campaignCases } from "../../campaign.ts";
import { seededDice } from "../../seeded-dice.ts";
import { ACCEPTED, AMBIGUOUS, busy, fakeClock, play, type Request, UNSENT } from "../scene.ts";

/** Returns whether the cap admits a request that arrives now. */
type Cap = (now: number) => boolean;

/** Allows a burst of one second's requests. */
function bucket(perSecond: number): Cap {
  let left = perSecond;
  let at = 0;
  return (now) => {
    left = Math.min(perSecond, left + ((now - at) / 1000) * perSecond);
    at = now;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}

/** Allows this number of requests in each second of the clock. */
function windows(perSecond: number): Cap {
  let second = -1;
  let taken = 0;
  return (now) => {
    if (Math.floor(now / 1000) !== second) {
      second = Math.floor(now / 1000);
      taken = 0;
    }
    taken += 1;
    return taken <= perSecond;
  };
}

interface Measured {
  /** Requests admitted per second, from 10 s to the last admitted request. */
  readonly rate: number;
  readonly refusedShare: number;
}

/** Returns a source of random factors that differ from 1 by at most this share. */
function jitterOf(share: number): () => number {
  const dice = seededDice(7);
  return () => 1 - share + 2 * share * dice();
}

const SETTLED_MS = 10_000;

async function against(cap: Cap, perSecond: number, more: { afterMs?: number; latencyMs: number }): Promise<Measured> {
  const through: number[] = [];
  const refused: number[] = [];
  const jitter = jitterOf(0.3);
  await play(
    async ({ clock }: Request) => {
      await clock.sleep(more.latencyMs * jitter());
      const isThrough = cap(clock.monotonic());
      (isThrough ? through : refused).push(clock.monotonic());
      return isThrough ? { ...ACCEPTED, durationMs: more.latencyMs } : busy(more.afterMs);
    },
    { records: perSecond * 40, concurrency: "auto", clock: fakeClock() },
  );
  const last = through.at(-1) ?? 0;
  const late = (times: readonly number[]): number => times.filter((at) => at >= SETTLED_MS).length;
  const seconds = (last - SETTLED_MS) / 1000;
  return { rate: late(through) / seconds, refusedShare: late(refused) / (late(through) + late(refused)) };
}

const LATENCY_MS = 40;

const TIMED_OUT: RequestResult = { ...AMBIGUOUS, pushBack: { reason: "timeout" } };

describe.each(campaignCases([20, 50, 200], 1))("an unannounced cap of %i requests a second", (perSecond) => {
  test.each<[string, (perSecond: number) => Cap, number | undefined]>([
    ["a bucket", bucket, undefined],
    ["a bucket, with Retry-After", bucket, 1000],
    ["windows of a second", windows, undefined],
    ["windows of a second, with Retry-After", windows, 1000],
  ])("is found and respected: %s", async (_, cap, afterMs) => {
    const announced = afterMs === undefined ? {} : { afterMs };
    const { rate, refusedShare } = await against(cap(perSecond), perSecond, { ...announced, latencyMs: LATENCY_MS });
    expect(rate / perSecond).toBeGreaterThan(0.85);
    expect(rate / perSecond).toBeLessThan(1.15);
    expect(refusedShare).toBeLessThan(0.05);
  });
});

test("a cap with Retry-After is respected even if replies are quick (its refusals used to be considered random)", async () => {
  const { rate, refusedShare } = await against(bucket(200), 200, { afterMs: 1000, latencyMs: 5 });
  expect(rate / 200).toBeGreaterThan(0.85);
  expect(rate / 200).toBeLessThan(1.15);
  expect(refusedShare).toBeLessThan(0.05);
});

test.each([
  ["one percent", 0.01, 60],
  ["three percent", 0.03, 25],
])("random refusals of %s of all requests hardly slow down a run", async (_, share, atLeast) => {
  for (const seed of [1, 2, 3]) {
    const dice = seededDice(seed);
    let endedAt = 0;
    await play(
      async ({ clock }) => {
        await clock.sleep(LATENCY_MS * (0.7 + 0.6 * dice()));
        endedAt = clock.monotonic();
        return dice() < share ? busy() : { ...ACCEPTED, durationMs: LATENCY_MS };
      },
      { records: 3_000, concurrency: 16, clock: fakeClock() },
    );
    expect(3_000 / (endedAt / 1_000)).toBeGreaterThan(atLeast);
  }
});

describe("an unavailable platform", () => {
  test.each<[string, boolean, RequestResult]>([
    ["every request times out", false, TIMED_OUT],
    ["every request times out, and the platform deduplicates", true, TIMED_OUT],
    ["every request ends in HTTP 500, and the platform deduplicates", true, AMBIGUOUS],
    ["every request is refused with 429", false, busy()],
    ["every request is refused with 429, and the platform deduplicates", true, busy(0)],
  ])("receives at most 1.1 requests per record, and 100 probes: %s", async (_, dedupes, answer) => {
    const { sent, end } = await play(() => answer, { records: 1_000, concurrency: 16, dedupes });
    expect(end.reason).toBe("stopped");
    const records = new Set(sent).size;
    const probes = 100;
    expect(sent.length).toBeLessThanOrEqual(1.1 * Math.max(records, 1_000) + probes);
  });

  test("that fails halfway through receives few repeated requests, and the run stops", async () => {
    const { sent, end } = await play(({ number }) => (number <= 500 ? ACCEPTED : AMBIGUOUS), {
      records: 1_000,
      concurrency: 16,
      dedupes: true,
    });
    expect(end.counts.accepted).toBe(500);
    expect(end.reason).toBe("stopped");
    expect(sent.length).toBeLessThan(1.1 * 1_000);
  });
});

test("sending continues within 40 s after a network partition of 30 s", async () => {
  const [from, to] = [2_000, 32_000];
  const before: number[] = [];
  const after: number[] = [];
  const { end } = await play(
    async ({ clock }) => {
      const left = clock.monotonic();
      await clock.sleep(50);
      if (left >= from && left < to) return UNSENT;
      (left < from ? before : after).push(left);
      return { ...ACCEPTED, durationMs: 50 };
    },
    { records: 2_000, concurrency: 16 },
  );
  expect(end).toMatchObject({ reason: "done", counts: { accepted: 2_000 } });
  expect(before.length).toBeGreaterThan(100);
  expect(after[0]).toBeLessThan(to + 2 * 20_000);
});

interface Slowdown {
  readonly latencyAt: (inFlight: number) => number;
}

const SLOWDOWNS: Readonly<Record<string, Slowdown>> = {
  "additional requests only queue": { latencyAt: (inFlight) => 50 * Math.max(1, inFlight / 10) },
  "replies do not become slower": { latencyAt: () => 50 },
  "additional requests slow each other down": { latencyAt: (inFlight) => 50 * Math.max(1, inFlight / 10) ** 2 },
};

/** Returns the requests admitted per second once the rate has settled. */
async function rateWithSlowdown({ latencyAt }: Slowdown, concurrency: "auto" | number): Promise<number> {
  const times: number[] = [];
  const jitter = jitterOf(0.4);
  await play(
    async ({ clock, inFlight }) => {
      const durationMs = latencyAt(inFlight) * jitter();
      await clock.sleep(durationMs);
      times.push(clock.monotonic());
      return { ...ACCEPTED, durationMs };
    },
    { records: 2_000, concurrency },
  );
  const late = times.filter((at) => at > 2_000);
  return (late.length / ((late.at(-1) ?? 0) - 2_000)) * 1_000;
}

test.each(campaignCases(Object.keys(SLOWDOWNS), 1))(
  "automatic concurrency reaches at least 80% of the best fixed concurrency's rate if %s above 10 in flight",
  async (name) => {
    const slowdown = SLOWDOWNS[name];
    if (slowdown === undefined) throw new Error("unknown platform");
    const fixed: number[] = [];
    for (let setting = 4; setting <= 16; setting += 2) fixed.push(await rateWithSlowdown(slowdown, setting));
    const found = await rateWithSlowdown(slowdown, "auto");
    expect(found / Math.max(...fixed)).toBeGreaterThan(0.8);
  },
);
