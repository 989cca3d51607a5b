import type { Random } from "../time/clock.ts";
import { fullJitter } from "../transport/retry-delay.ts";
import type { RequestResult } from "../platform/import/classified-request.ts";

/** Requests for one record in one run. */
const MAX_TRIES = 3;
/** The same where the platform pushes back: a busy platform must not use up the tries of a good record. */
const MAX_TRIES_PUSHED_BACK = 10;
/** The longest wait after a refusal at random, which says nothing about the next request. */
const MAX_DELAY_IN_NOISE_MS = 50;

/** `yes`: send it again after `afterMs`. `no`: it has had its tries, or may not be sent again. */
export type RetryAction = { readonly again: true; readonly afterMs: number } | { readonly again: false };

export interface RetryState {
  /** Requests made for this record in this run. */
  readonly tries: number;
  readonly mayRepeat: boolean;
  /** Refusals come at random, whatever is sent. */
  readonly isNoiseKnown: boolean;
  readonly budget: RetryBudget;
  readonly random: Random;
}

/**
 * Whether a record is sent once more. A record waits for its own `Retry-After`, which costs neither budget nor one of the
 * three tries, because the platform has said when to come back; the circuit breaker limits how long a run waits in vain.
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

/** What all records of a run share: retries cost, successes pay back (the numbers of the AWS SDKs' standard mode). */
export interface RetryBudget {
  /** False when the budget is used up. */
  readonly take: (cause: keyof typeof COSTS) => boolean;
  readonly payBack: () => void;
}

const BUDGET = 500;
/** A push-back costs as much as a success pays back: the rate control limits how many there are. */
const COSTS = { pushBack: 1, failure: 5, timeout: 10 } as const;

export function createRetryBudget(): RetryBudget {
  let left = BUDGET;
  return {
    take(cause) {
      if (left < COSTS[cause]) return false;
      left -= COSTS[cause];
      return true;
    },
    payBack() {
      left = Math.min(BUDGET, left + 1);
    },
  };
}
