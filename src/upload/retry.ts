import type { Random } from "../time/clock.ts";
import { fullJitter } from "../transport/retrying-http.ts";
import type { RequestResult } from "../platform/import/classified-request.ts";

/** Maximum number of tries for one request of a record in one run. */
const MAX_TRIES = 3;
/**
 * The maximum if the platform pushes back. It is higher, because a busy platform must not use up the tries of a valid
 * record.
 */
const MAX_TRIES_PUSHED_BACK = 10;
/** Maximum wait after a random refusal, which says nothing about the next request. */
const MAX_DELAY_IN_NOISE_MS = 50;

/**
 * Whether to send the record again, and after how many milliseconds. The record is not sent again if its tries or the
 * retry budget are used up, or if the request must not be repeated.
 */
type RetryAction = { readonly again: true; readonly afterMs: number } | { readonly again: false };

interface RetryState {
  /** Number of tries so far for the record's current request in this run. */
  readonly tries: number;
  readonly mayRepeat: boolean;
  /** Whether refusals are known to be random and independent of the rate. */
  readonly isNoiseKnown: boolean;
  readonly budget: RetryBudget;
  readonly random: Random;
}

/**
 * Decides whether a record is sent again. A push-back allows more tries. If the reply has a `Retry-After`, the record
 * waits that long, and the wait does not use up the budget, because the platform specified when to retry. The circuit
 * breaker limits the total wait.
 */
export function decideRetry({ replyClass, pushBack }: RequestResult, state: RetryState): RetryAction {
  const isRetriable = replyClass.kind === "retry" || (replyClass.kind === "ambiguous" && state.mayRepeat);
  if (!isRetriable || state.tries >= (pushBack === undefined ? MAX_TRIES : MAX_TRIES_PUSHED_BACK))
    return { again: false };
  if (pushBack?.afterMs !== undefined) return { again: true, afterMs: pushBack.afterMs };
  if (!state.budget.take(causeOf(pushBack))) return { again: false };
  const isAtRandom = pushBack !== undefined && state.isNoiseKnown;
  return {
    again: true,
    afterMs: isAtRandom ? MAX_DELAY_IN_NOISE_MS * state.random() : fullJitter(state.tries, state.random),
  };
}

function causeOf(pushBack: RequestResult["pushBack"]): keyof typeof COSTS {
  if (pushBack === undefined) return "failure";
  return pushBack.reason === "timeout" ? "timeout" : "pushBack";
}

/**
 * The retry budget of a run: retries use it up, and successes refund it. The amounts follow the standard mode of the
 * AWS SDKs.
 */
export interface RetryBudget {
  /** Takes the cost of a retry from the budget. Returns false if the budget is used up. */
  readonly take: (cause: keyof typeof COSTS) => boolean;
  readonly refund: () => void;
}

const BUDGET = 500;
/** A push-back costs only as much as a success refunds, because the rate control already limits push-backs. */
const COSTS = { pushBack: 1, failure: 5, timeout: 10 } as const;

export function createRetryBudget(): RetryBudget {
  let left = BUDGET;
  return {
    take(cause) {
      if (left < COSTS[cause]) return false;
      left -= COSTS[cause];
      return true;
    },
    refund() {
      left = Math.min(BUDGET, left + 1);
    },
  };
}
