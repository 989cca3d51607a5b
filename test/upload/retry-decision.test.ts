import { expect, test } from "vitest";
import type { RequestResult } from "../../src/platform/import/classified-request.ts";
import { createRetryBudget, decideRetry, type RetryBudget } from "../../src/upload/retry.ts";
import { AMBIGUOUS } from "./scene.ts";

const state = { tries: 1, mayRepeat: false, isNoiseKnown: false, random: () => 0.5 };
const retried: RequestResult = { replyClass: { kind: "retry", reason: "HTTP 429" }, http: 429, durationMs: 1 };

function usedUp(): RetryBudget {
  const budget = createRetryBudget();
  while (budget.take("pushBack"));
  return budget;
}

test("a record waits for its own Retry-After, even if the budget is used up", () => {
  const result: RequestResult = { ...retried, pushBack: { reason: "HTTP 429", afterMs: 7_000 } };
  expect(decideRetry(result, { ...state, budget: usedUp() })).toEqual({ again: true, afterMs: 7_000 });
});

test("a record without Retry-After uses the budget, which each success refills", () => {
  const result: RequestResult = { ...retried, pushBack: { reason: "HTTP 429" } };
  const budget = usedUp();
  expect(decideRetry(result, { ...state, budget })).toEqual({ again: false });
  budget.refund();
  expect(decideRetry(result, { ...state, budget })).toEqual({ again: true, afterMs: 250 });
  expect(decideRetry(result, { ...state, budget })).toEqual({ again: false });
});

test("a request that may have been processed is repeated only if the platform deduplicates", () => {
  const budget = createRetryBudget();
  expect(decideRetry(AMBIGUOUS, { ...state, budget })).toEqual({ again: false });
  expect(decideRetry(AMBIGUOUS, { ...state, budget, mayRepeat: true })).toMatchObject({ again: true });
});
