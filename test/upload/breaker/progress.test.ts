import { expect, test } from "vitest";
import type { RequestResult } from "../../../src/platform/import/classified-request.ts";
import { createCircuitBreaker } from "../../../src/upload/breaker/circuit-breaker.ts";
import { createRateControl } from "../../../src/upload/rate/adaptive-concurrency.ts";
import { createRetryBudget } from "../../../src/upload/retry.ts";
import { ACCEPTED, rejected } from "../scene.ts";

const BUSY: RequestResult = {
  replyClass: { kind: "retry", reason: "HTTP 503" },
  http: 503,
  durationMs: 1,
  pushBack: { reason: "HTTP 503" },
};

function scene() {
  let now = 0;
  const clock = { now: () => now, monotonic: () => now, sleep: async () => undefined };
  const rate = createRateControl({ concurrency: 4 }, { clock, random: () => 0.5, onChange: () => undefined });
  const budget = createRetryBudget();
  const breaker = createCircuitBreaker({ rate, budget, clock, maxWaitMs: 60_000, contact: { isMade: false } });
  return {
    budget,
    observeAt: (at: number, result: RequestResult) => {
      now = at;
      return breaker.observe(result, rate.epoch(), 1);
    },
  };
}

test("a run is stuck only if refusals continue for the longest wait without any success", () => {
  const { observeAt } = scene();
  expect(observeAt(0, BUSY)).toBeUndefined();
  expect(observeAt(50_000, ACCEPTED)).toBeUndefined();
  expect(observeAt(70_000, BUSY)).toBeUndefined();
  expect(observeAt(129_999, BUSY)).toBeUndefined();
  expect(observeAt(130_000, BUSY)).toMatchObject({ code: "incomplete" });
});

test("accepted and rejected records refill the retry budget", () => {
  const { budget, observeAt } = scene();
  while (budget.take("pushBack"));
  observeAt(1, ACCEPTED);
  observeAt(2, rejected("blank"));
  expect([budget.take("pushBack"), budget.take("pushBack"), budget.take("pushBack")]).toEqual([true, true, false]);
});
