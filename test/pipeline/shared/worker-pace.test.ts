import { expect, test } from "vitest";
import { planOf } from "../../../src/pipeline/shared/coordinate.ts";
import { createWorkerPace, partOf } from "../../../src/pipeline/shared/worker-pace.ts";

const ORDERS = {
  state: "open",
  concurrency: 10,
  isKnown: true,
  holdMs: 0,
  ranges: { waiting: 1, taken: 0, done: 0 },
  released: 0,
} as const;

test("for any total and any number of workers, the shares of the workers add up to the total", () => {
  for (const whole of [1, 2, 7, 16, 64]) {
    for (const workers of [1, 2, 3, 5, 20]) {
      const parts = Array.from({ length: workers }, (_, position) => partOf(whole, { workers, position }));
      expect(parts.reduce((sum, part) => sum + part, 0)).toBe(whole);
      expect(Math.max(...parts) - Math.min(...parts)).toBeLessThanOrEqual(1);
    }
  }
});

test("a worker gets its share of the concurrency and the rate, and waits while another worker pauses", () => {
  let now = 1000;
  const pace = createWorkerPace({ monotonic: () => now });
  expect(pace.isWanted()).toBe(false);
  pace.learn({ ...ORDERS, rps: 50, workers: 4, position: 1, holdMs: 300 });
  expect(pace.share()).toEqual({ limit: 3, rps: 12.5, holdMs: 300, workers: 4, suppliers: [] });
  now += 200;
  expect(pace.share().holdMs).toBe(100);
  pace.learn({ ...ORDERS, workers: 3, position: 1 });
  expect(pace.share()).toEqual({ limit: 3, holdMs: 0, workers: 3, suppliers: [] });
});

test("a worker gets its share of a rate that was found, with the time of the finding on the worker's own clock", () => {
  const pace = createWorkerPace({ monotonic: () => 10_000 });
  const rate = { id: "one", perSecond: 40, agoMs: 500 };
  pace.learn({ ...ORDERS, workers: 4, position: 1, findings: { rate, suppliers: [] } });
  expect(pace.share().found).toEqual({ id: "one", perSecond: 10, at: 9_500 });
});

test("the last workers get no share if there are more workers than concurrent requests", () => {
  const pace = createWorkerPace({ monotonic: () => 0 });
  pace.learn({ ...ORDERS, concurrency: 2, workers: 3, position: 2 });
  expect(pace.isWanted()).toBe(false);
  pace.learn({ ...ORDERS, concurrency: 2, workers: 2, position: 1 });
  expect(pace.isWanted()).toBe(true);
});

test("ranges contain at most 1,000 records, and are short enough that each worker gets several", () => {
  expect([plan(400, 2), plan(5, 4), plan(10_000_000, 4), plan(100, 0)]).toEqual([25, 1, 1000, 13]);
});

function plan(pending: number, count: number): number {
  return planOf(pending, {
    workers: { count, leaseMs: 30_000 },
    pace: { concurrency: "auto", maxConcurrency: 16 },
    resendAmbiguous: true,
  }).size;
}
