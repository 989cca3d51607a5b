import { describe, expect, test } from "vitest";
import { createRefusalNoise } from "../../../src/upload/rate/refusal-noise.ts";
import { seededDice } from "../../seeded-dice.ts";
import { ACCEPTED, busy, play } from "../scene.ts";
import { CAPS, type ModelPlan, runModel, sumOf } from "./model-run.ts";

const SEEDS = [1, 2, 3];
const SECONDS = 60;
const SETTLED_S = 10;

function throughPerSecond(plan: ModelPlan): number {
  return sumOf(SEEDS.map((seed) => sumOf(runModel({ ...plan, seed }).through))) / SEEDS.length / SECONDS;
}

/** Returns the mean rate of admitted requests, as a share of the mean rate without random refusals. */
function shareOfClean(plan: ModelPlan): number {
  return throughPerSecond(plan) / throughPerSecond({ ...plan, noise: 0 });
}

interface CapResult {
  /** Requests admitted, as a share of the cap, once the rate has settled. */
  readonly share: number;
  readonly refusedShare: number;
}

function underCap(kind: keyof typeof CAPS, perSecond: number, plan: ModelPlan): CapResult {
  const runs = SEEDS.map((seed) => runModel({ ...plan, seed, cap: CAPS[kind](perSecond) }));
  const through = sumOf(runs.map((run) => sumOf(run.through, SETTLED_S)));
  const refused = sumOf(runs.map((run) => sumOf(run.refused, SETTLED_S)));
  const possible = perSecond * (SECONDS - SETTLED_S) * SEEDS.length;
  return { share: through / possible, refusedShare: refused / (through + refused) };
}

const LATENCIES = [20, 40, 100];
const NOISE: readonly (readonly [noise: number, atLeast: number])[] = [
  [0.01, 0.9],
  [0.05, 0.9],
  [0.1, 0.8],
  [0.2, 0.6],
];
const KINDS = ["token bucket", "fixed window", "sliding window"] as const;

describe.each([
  ["without Retry-After", undefined],
  ["with a Retry-After of 1 s", 1_000],
])("random refusals %s cost about their share of the rate:", (_, retryAfterMs) => {
  test.each(NOISE)("a share of %d leaves at least %d of the rate (0.1 used to leave 0.01)", (noise, atLeast) => {
    const shares = LATENCIES.map((latencyMs) => shareOfClean({ noise, retryAfterMs, latencyMs, concurrency: 16 }));
    expect(Math.min(...shares)).toBeGreaterThan(atLeast);
  });
});

describe.each(KINDS)("an unannounced cap (%s)", (kind) => {
  test.each([20, 50, 200])("of %d per second is not mistaken for random refusals", (perSecond) => {
    for (const latencyMs of [5, 20, 40]) {
      for (const retryAfterMs of [undefined, 1_000]) {
        const { share, refusedShare } = underCap(kind, perSecond, { latencyMs, retryAfterMs });
        expect(share).toBeGreaterThan(0.8);
        expect(refusedShare).toBeLessThan(0.02);
      }
    }
  });
});

test.each(KINDS)(
  "a %s with random refusals admits at least a third of the cap, without a burst of requests",
  (kind) => {
    const { share, refusedShare } = underCap(kind, 200, { noise: 0.05, latencyMs: 20 });
    expect(share).toBeGreaterThan(1 / 3);
    expect(refusedShare).toBeLessThan(0.2);
  },
);

test.each([
  ["without Retry-After", undefined],
  ["with a Retry-After of 1 s", 1_000],
])("known random refusals do not hide that every request is refused, %s", (_, retryAfterMs) => {
  const plan = { noise: 0.1, retryAfterMs, concurrency: 16 };
  const before = runModel({ ...plan, seconds: 20 });
  const whole = runModel({ ...plan, outage: { from: 20, to: 50 }, seconds: 50 });
  expect(whole.sent - before.sent).toBeLessThan(150);
});

test.each([
  ["without random refusals", 0],
  ["with 5% random refusals", 0.05],
])("the full rate returns within 10 s after an outage of 30 s, %s", (_, noise) => {
  for (const seed of SEEDS) {
    const { through } = runModel({ concurrency: 16, seed, noise, outage: { from: 20, to: 50 } });
    expect(through[59] ?? 0).toBeGreaterThan(0.85 * (through[19] ?? 0));
  }
});

describe("an upload to a platform with random refusals", () => {
  test.each([
    ["20% without Retry-After", 0.2, undefined],
    ["10% with a Retry-After of 1 s, which delays only the refused record", 0.1, 1_000],
  ])("sends every record at 0.6 or more of the full rate: %s", async (_, share, retryAfterMs) => {
    const dice = seededDice(1);
    const { end, clock } = await play(
      async ({ clock: { sleep } }) => {
        await sleep(LATENCY_MS * (0.7 + 0.6 * dice()));
        return dice() < share ? busy(retryAfterMs) : { ...ACCEPTED, durationMs: LATENCY_MS };
      },
      { records: RECORDS, concurrency: 16 },
    );
    expect(end.counts).toEqual({ accepted: RECORDS });
    const cleanMs = (RECORDS * LATENCY_MS) / 16;
    expect(cleanMs / clock.monotonic()).toBeGreaterThan(0.6);
  });
});

const LATENCY_MS = 40;
const RECORDS = 4_000;
/** An odd number, because the median is checked. */
const PUSHES = 3;

describe.each<16 | "auto">([16, "auto"])(
  "in a short push to a platform with random refusals, with concurrency %s,",
  (concurrency) => {
    test.each<[number, number, number]>([
      [0.01, 0.95, 0.9],
      [0.05, 0.88, 0.82],
      [0.1, 0.78, 0.7],
      [0.2, 0.6, 0.5],
    ])(
      "a share of %d leaves at least %d of the rate in the median, and %d in the worst case",
      async (noise, median, least) => {
        const shares: number[] = [];
        for (let seed = 1; seed <= PUSHES; seed += 1) {
          shares.push(
            (await pushWithoutRefusals({ seed, concurrency })) / (await pushShort(noise, { seed, concurrency })),
          );
        }
        shares.sort((a, b) => a - b);
        expect(shares[Math.floor(PUSHES / 2)]).toBeGreaterThan(median);
        expect(shares[0]).toBeGreaterThan(least);
      },
    );
  },
);

interface ShortPush {
  readonly seed: number;
  readonly concurrency: 16 | "auto";
}

const clean = new Map<string, Promise<number>>();

function pushWithoutRefusals(push: ShortPush): Promise<number> {
  const key = JSON.stringify(push);
  const pushed = clean.get(key) ?? pushShort(0, push);
  clean.set(key, pushed);
  return pushed;
}

/** Returns the milliseconds until 1,500 records are accepted. */
async function pushShort(noise: number, { seed, concurrency }: ShortPush): Promise<number> {
  const [latency, refusal, random] = [seed, 1_000 + seed, 2_000 + seed].map((one) => seededDice(one));
  if (latency === undefined || refusal === undefined || random === undefined) throw new Error("no dice");
  const { end, clock } = await play(
    async ({ clock: { sleep } }) => {
      const durationMs = LATENCY_MS * (0.7 + 0.6 * latency());
      await sleep(durationMs);
      return refusal() < noise ? busy() : { ...ACCEPTED, durationMs };
    },
    { records: 1_500, concurrency, random },
  );
  expect(end.counts).toEqual({ accepted: 1_500 });
  return clock.monotonic();
}

test("a high share of refusals among few requests does not yet let other records ignore a Retry-After", () => {
  const noise = createRefusalNoise();
  const acceptedRequest = (load: "unknown" | "less", count: number): void => {
    for (let reply = 0; reply < count; reply += 1) noise.acceptedRequest(load);
  };
  acceptedRequest("unknown", 2);
  noise.explains("unknown");
  acceptedRequest("less", 5);
  noise.explains("less");
  noise.explains("less");
  expect(noise.learn("less", 2)).toBe(true);
  expect(noise.isPlausible()).toBe(false);
  acceptedRequest("less", 12);
  expect([noise.isKnown(), noise.isPlausible()]).toEqual([true, true]);
});
