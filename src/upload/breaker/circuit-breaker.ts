import { Failure } from "../../model/failure.ts";
import { newTokenRefused } from "../../platform/auth/create-authorisation.ts";
import type { RequestResult } from "../../platform/import/classified-request.ts";
import { unknownHost } from "../../platform/reply/classify-error.ts";
import type { ReplyClass } from "../../platform/reply/reply-class.ts";
import type { Clock, MonotonicClock } from "../../time/clock.ts";
import type { Epoch, RateControl } from "../rate/adaptive-concurrency.ts";
import type { RetryBudget } from "../retry.ts";

/** Derives the state of the platform from the replies to all records. */
export interface CircuitBreaker {
  /**
   * Forwards the reply to the rate control. Returns the failure that ends the run, or undefined.
   * @param inFlight number of requests in flight, including the request that got this reply
   */
  readonly observe: (result: RequestResult, epoch: Epoch, inFlight: number) => Failure | undefined;
}

interface CircuitBreakerDependencies extends WaitLimits {
  readonly rate: RateControl;
  readonly budget: RetryBudget;
  readonly clock: Clock;
}

interface WaitLimits {
  readonly maxWaitMs: number;
  /** Maximum wait for the platform's first reply; default: `maxWaitMs`. */
  readonly firstWaitMs?: number | undefined;
  /**
   * Whether the platform has replied to any request, including a request for a token. All rounds of an upload share
   * this object, but each round has its own circuit breaker.
   */
  readonly contact: { isMade: boolean };
}

export function createCircuitBreaker(dependencies: CircuitBreakerDependencies): CircuitBreaker {
  const { rate, budget, clock } = dependencies;
  const failureAfter = watchReplies(rate.maximum);
  const timeout = createProgressTimeout(dependencies, clock);

  return {
    observe({ replyClass, pushBack, durationMs }, epoch, inFlight) {
      if (replyClass.kind === "cancelled") return undefined;
      if (replyClass.kind === "unsent") {
        rate.unreachable(epoch, replyClass.reason);
        return timeout.unsent(replyClass, durationMs);
      }
      rate.reached();
      timeout.reached();
      if (PROGRESS.has(replyClass.kind)) timeout.progressed();
      if (replyClass.kind === "accepted" || replyClass.kind === "rejected") budget.refund();
      const failure = failureAfter(replyClass);
      if (pushBack === undefined) {
        if (replyClass.kind !== "ambiguous") rate.answered(durationMs, inFlight, epoch);
        return failure;
      }
      rate.pushedBack(epoch, pushBack);
      return failure ?? timeout.pushedBack(pushBack.afterMs);
    },
  };
}

/** Kinds of replies that accept or reject a record, or return its status. */
const PROGRESS: ReadonlySet<ReplyClass["kind"]> = new Set(["accepted", "rejected", "waiting", "absent"]);

const MAX_FOREIGN_REPLIES = 3;
const MAX_UNANSWERED = 20;

/**
 * Detects series of replies after which further requests are pointless. Returns a function that returns the failure
 * that ends the run, or undefined.
 * @param maxInFlight maximum number of requests in flight; one network failure can affect that many requests, so a
 * streak of that length does not end the run
 */
function watchReplies(maxInFlight: number): (replyClass: ReplyClass) => Failure | undefined {
  let foreign = 0;
  let unanswered = 0;
  return (replyClass) => {
    const ambiguous = replyClass.kind === "ambiguous" ? replyClass : undefined;
    foreign = ambiguous?.notFromApi === true ? foreign + 1 : 0;
    unanswered = ambiguous === undefined ? 0 : unanswered + 1;
    if (ambiguous !== undefined && foreign >= MAX_FOREIGN_REPLIES) return foreignReplies(ambiguous.reason);
    if (ambiguous !== undefined && unanswered >= Math.max(MAX_UNANSWERED, 2 * maxInFlight))
      return noAnswers(unanswered, ambiguous.reason);
    if (replyClass.kind === "unauthorised") return newTokenRefused();
    return replyClass.kind === "stop" ? replyClass.failure : undefined;
  };
}

function foreignReplies(reason: string): Failure {
  return new Failure(
    "wrong_endpoint",
    `${MAX_FOREIGN_REPLIES} consecutive replies do not look like replies from the API: ${reason}`,
    {
      hint:
        "check the base URL, whether the contract documents this reply, and whether a proxy or a login page answers " +
        "instead; the report lists any ambiguous records",
    },
  );
}

function noAnswers(count: number, reason: string): Failure {
  return new Failure("incomplete", `${count} consecutive requests got no trustworthy reply; the last: ${reason}`, {
    hint: "once the platform works again, resolve any ambiguous records with `migrate reconcile`, then run `migrate resume`",
  });
}

type Unsent = Extract<ReplyClass, { readonly kind: "unsent" }>;

/** Measures the time without progress and ends the run after `maxWaitMs`. */
function createProgressTimeout(limits: WaitLimits, clock: MonotonicClock) {
  const { maxWaitMs, firstWaitMs = maxWaitMs, contact } = limits;
  let unsentSince: number | undefined;
  let stuckSince: number | undefined;

  return {
    /**
     * Call this when a request could not be sent. Returns the failure that ends the run, or undefined to keep trying.
     */
    unsent({ code, reason }: Unsent, durationMs: number): Failure | undefined {
      unsentSince ??= clock.monotonic() - durationMs;
      contact.isMade ||= REFUSED_TOKEN.test(code);
      const unknown = contact.isMade ? undefined : unknownHost(code, reason);
      if (unknown !== undefined) return unknown;
      const waitedMs = clock.monotonic() - unsentSince;
      if (waitedMs >= maxWaitMs) return unreachable(reason, waitedMs, RESUME_HINT);
      return waitedMs >= firstWaitMs && !contact.isMade ? unreachable(reason, waitedMs, NEVER_REACHED_HINT) : undefined;
    },
    /** Call this when the platform has pushed back a request. Returns the same as `unsent`. */
    pushedBack(afterMs = 0): Failure | undefined {
      stuckSince ??= clock.monotonic();
      const waited = clock.monotonic() - stuckSince;
      return afterMs > maxWaitMs || waited >= maxWaitMs ? pushedBackTooLong(afterMs, maxWaitMs) : undefined;
    },
    /** Call this for every reply, because any reply shows that the platform is reachable. */
    reached(): void {
      unsentSince = undefined;
      contact.isMade = true;
    },
    /** Call this when the platform has processed a request. */
    progressed(): void {
      stuckSince = undefined;
    },
  };
}

/**
 * Failure codes of token requests to which the platform replied without issuing a token. They show that the platform is
 * reachable.
 */
const REFUSED_TOKEN = /^HTTP_\d|^UNREADABLE_TOKEN_REPLY$/;

const NEVER_REACHED_HINT =
  "nothing was sent; check the network, the base URL and, if you use one, the proxy, then run the same command again " +
  "or `migrate resume`; a push with --wait keeps trying for 5 minutes";
const RESUME_HINT = "to continue where the run stopped, run the same command again or `migrate resume`";

function unreachable(reason: string, waitedMs: number, hint: string): Failure {
  return new Failure("platform_unreachable", `${reason} (tried for ${seconds(waitedMs)})`, { hint });
}

function pushedBackTooLong(afterMs: number, maxWaitMs: number): Failure {
  const what =
    afterMs > maxWaitMs
      ? `the platform requests a wait of ${seconds(afterMs)}`
      : `the platform has processed no request for ${seconds(maxWaitMs)}`;
  return new Failure("incomplete", what, { hint: RESUME_HINT });
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}
