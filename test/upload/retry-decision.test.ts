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

test("successes refund the budget only up to its original size", () => {
  const budget = createRetryBudget();
  for (let success = 0; success < 10; success += 1) budget.refund();
  let taken = 0;
  while (budget.take("pushBack")) taken += 1;
  expect(taken).toBe(500);
});

test.each<[string, RequestResult["pushBack"], number]>([
  ["100 times after failures", undefined, 100],
  ["50 times after timeouts", { reason: "timeout" }, 50],
  ["500 times after push-back", { reason: "HTTP 429" }, 500],
])("the records of a run are retried %s in total", (_, pushBack, retries) => {
  const budget = createRetryBudget();
  const result = { ...retried, ...(pushBack && { pushBack }) };
  let again = 0;
  while (decideRetry(result, { ...state, budget }).again) again += 1;
  expect(again).toBe(retries);
});

test.each<[string, RequestResult["pushBack"], number]>([
  ["three requests", undefined, 3],
  ["ten requests if the platform pushes back", { reason: "HTTP 429" }, 10],
  ["ten requests if the platform says when to retry", { reason: "HTTP 429", afterMs: 1 }, 10],
])("a record is sent in at most %s", (_, pushBack, most) => {
  const result = { ...retried, ...(pushBack && { pushBack }) };
  const decide = (tries: number): boolean =>
    decideRetry(result, { ...state, tries, budget: createRetryBudget() }).again;
  expect([decide(most - 1), decide(most)]).toEqual([true, false]);
});

test("only a refusal is retried within 50 ms, and only if refusals are known to be random", () => {
  const noisy = { ...state, isNoiseKnown: true, budget: createRetryBudget() };
  const refusal: RequestResult = { ...retried, pushBack: { reason: "HTTP 429" } };
  expect(decideRetry(refusal, noisy)).toEqual({ again: true, afterMs: 25 });
  expect(decideRetry(refusal, { ...noisy, isNoiseKnown: false })).toEqual({ again: true, afterMs: 250 });
  expect(decideRetry(retried, noisy)).toEqual({ again: true, afterMs: 250 });
});

test("the request of an accepted record is not repeated", () => {
  const accepted: RequestResult = { replyClass: { kind: "accepted" }, http: 201, durationMs: 1 };
  expect(decideRetry(accepted, { ...state, mayRepeat: true, budget: createRetryBudget() })).toEqual({ again: false });
});
