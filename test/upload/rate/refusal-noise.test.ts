import { describe, expect, test } from "vitest";
import { CAPS, type ModelPlan, runModel, sumOf } from "./model-run.ts";

const SEEDS = [1, 2, 3, 4, 5, 6];
const SECONDS = 60;
const SETTLED_S = 10;

function throughPerSecond(plan: ModelPlan): number {
  return sumOf(SEEDS.map((seed) => sumOf(runModel({ ...plan, seed }).through))) / SEEDS.length / SECONDS;
}

/** What comes through in a minute, as a share of what comes through without noise; the mean of the seeds. */
function shareOfClean(plan: ModelPlan): number {
  return throughPerSecond(plan) / throughPerSecond({ ...plan, noise: 0 });
}

interface CapResult {
  /** Let through, as a share of the cap, once settled. */
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

describe.each([
  ["without Retry-After", undefined],
  ["with a Retry-After of 1 s", 1_000],
])("refusals at random, %s, cost about their share of the rate", (_, retryAfterMs) => {
  test.each(NOISE)(
    "%d of the requests: %d of the rate or more (was 0.5 for 0.01, and 0.005 for 0.1)",
    (noise, atLeast) => {
      for (const latencyMs of LATENCIES) {
        const share = shareOfClean({ noise, retryAfterMs, latencyMs, concurrency: 16 });
        expect(share, `${latencyMs} ms`).toBeGreaterThan(atLeast);
      }
    },
  );
});

describe.each(["token bucket", "fixed window", "sliding window"] as const)(
  "a cap that nobody announced, a %s",
  (kind) => {
    test.each([20, 50, 200])("of %d a second is not taken for noise", (perSecond) => {
      for (const latencyMs of [5, 20, 40]) {
        for (const retryAfterMs of [undefined, 1_000]) {
          const { share, refusedShare } = underCap(kind, perSecond, { latencyMs, retryAfterMs });
          expect(share, `${latencyMs} ms, Retry-After ${retryAfterMs}`).toBeGreaterThan(0.8);
          expect(refusedShare, `${latencyMs} ms, Retry-After ${retryAfterMs}`).toBeLessThan(0.02);
        }
      }
    });
  },
);

test("noise and a cap of 200 a second together: a third of the cap or more comes through, without a storm", () => {
  for (const kind of ["token bucket", "fixed window", "sliding window"] as const) {
    const { share, refusedShare } = underCap(kind, 200, { noise: 0.05, latencyMs: 20 });
    expect(share, kind).toBeGreaterThan(1 / 3);
    expect(refusedShare, kind).toBeLessThan(0.2);
  }
});

test("noise that was known does not let a storm pass when everything is refused", () => {
  for (const retryAfterMs of [undefined, 1_000]) {
    const outage = { from: 20, to: 50 };
    const plan = { noise: 0.1, retryAfterMs, concurrency: 16 };
    const [before, whole] = [runModel({ ...plan, seconds: 20 }), runModel({ ...plan, outage, seconds: 50 })];
    expect(whole.sent - before.sent).toBeLessThan(150);
  }
});

test.each([
  ["without noise", 0],
  ["with 5 % noise", 0.05],
])("after an outage of 30 s the full rate is back within 10 s, %s", (_, noise) => {
  for (const seed of SEEDS) {
    const plan = { concurrency: 16, seed, noise, outage: { from: 20, to: 50 } };
    const { through } = runModel(plan);
    expect(through[60 - 1] ?? 0, `seed ${seed}`).toBeGreaterThan(0.85 * (through[19] ?? 0));
  }
});
