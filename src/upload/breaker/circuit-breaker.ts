import { Failure } from "../../model/failure.ts";
import { newTokenRefused } from "../../platform/auth/token-renewal.ts";
import type { RequestResult } from "../../platform/import/classified-request.ts";
import type { ReplyClass } from "../../platform/reply/reply-class.ts";
import type { Clock } from "../../time/clock.ts";
import type { Epoch, RateControl } from "../rate/adaptive-concurrency.ts";
import type { RetryBudget } from "../retry.ts";

/** What replies tell about the platform, apart from the record each is about. */
export interface CircuitBreaker {
  /**
   * Passes on to the rate control what the reply says. Returns the failure that ends the run, or undefined.
   * @param inFlight requests under way, the one of the reply included
   */
  readonly observe: (result: RequestResult, epoch: Epoch, inFlight: number) => Failure | undefined;
}

interface CircuitBreakerDependencies {
  readonly rate: RateControl;
  readonly budget: RetryBudget;
  readonly clock: Clock;
  readonly maxWaitMs: number;
}

export function createCircuitBreaker({ rate, budget, clock, maxWaitMs }: CircuitBreakerDependencies): CircuitBreaker {
  const streaks = createReplyStreaks(rate.maximum);
  const timeout = createProgressTimeout(maxWaitMs, clock);

  return {
    observe({ replyClass, pushBack, durationMs }, epoch, inFlight) {
      if (replyClass.kind === "cancelled") return undefined;
      if (replyClass.kind === "unsent") {
        rate.unreachable(epoch, replyClass.reason);
        return timeout.unsent(replyClass.code, replyClass.reason);
      }
      rate.reached();
      timeout.reached();
      if (PROGRESS.has(replyClass.kind)) timeout.progressed();
      if (replyClass.kind === "accepted" || replyClass.kind === "rejected") budget.payBack();
      const failure = streaks.failureAfter(replyClass);
      if (pushBack === undefined) {
        if (replyClass.kind !== "ambiguous") rate.answered(durationMs, inFlight, epoch);
        return failure;
      }
      rate.pushedBack(epoch, pushBack);
      return failure ?? timeout.pushedBack(pushBack.afterMs);
    },
  };
}

/** The platform took or refused a record, or told its status. */
const PROGRESS: ReadonlySet<ReplyClass["kind"]> = new Set(["accepted", "rejected", "waiting", "absent"]);

/** Notices when no further request makes sense, from the replies in the order they come in. */
interface ReplyStreaks {
  /** The failure that ends the run, or undefined. */
  readonly failureAfter: (replyClass: ReplyClass) => Failure | undefined;
}

const MAX_FOREIGN_REPLIES = 3;
const MAX_UNANSWERED = 20;

/** @param mostInFlight as many requests may fail together in one failure of the network, which is no reason to stop yet */
function createReplyStreaks(mostInFlight: number): ReplyStreaks {
  const foreign = createStreak();
  const unanswered = createStreak();

  return {
    failureAfter(replyClass) {
      const ambiguous = replyClass.kind === "ambiguous" ? replyClass : undefined;
      const foreignCount = foreign.count(ambiguous?.notFromApi === true ? "not from the API" : undefined);
      const unansweredCount = unanswered.count(ambiguous?.kind);

      if (ambiguous !== undefined && foreignCount >= MAX_FOREIGN_REPLIES) return notTheApi(ambiguous.reason);
      if (unansweredCount >= Math.max(MAX_UNANSWERED, 2 * mostInFlight)) return noAnswers(unansweredCount);
      return immediateFailure(replyClass);
    },
  };
}

function immediateFailure(replyClass: ReplyClass): Failure | undefined {
  if (replyClass.kind === "unauthorised") return newTokenRefused();
  return replyClass.kind === "stop" ? replyClass.failure : undefined;
}

interface Streak {
  /** How many times in a row the same kind was counted; undefined ends the streak. */
  readonly count: (kind: string | undefined) => number;
}

function createStreak(): Streak {
  let last: string | undefined;
  let length = 0;
  return {
    count(kind) {
      length = kind === last ? length + 1 : 1;
      last = kind;
      return kind === undefined ? 0 : length;
    },
  };
}

function notTheApi(reason: string): Failure {
  return new Failure("wrong_endpoint", `${MAX_FOREIGN_REPLIES} replies in a row were not the API's: ${reason}`, {
    hint: "check the base URL, and whether a proxy or a login page stands in between; the ambiguous records are in the report",
  });
}

function noAnswers(count: number): Failure {
  return new Failure("incomplete", `${count} requests in a row got no trustworthy reply`, {
    hint: "once the platform works again, look up the ambiguous records (they are in the report), then run `migrate resume`",
  });
}

/** Watches how long nothing has come through, and ends the run after `maxWaitMs` of it. */
interface ProgressTimeout {
  /** A request could not leave. The failure that ends the run, or undefined to go on trying. */
  readonly unsent: (code: string, reason: string) => Failure | undefined;
  /** The platform pushed a request back. As above. */
  readonly pushedBack: (afterMs: number | undefined) => Failure | undefined;
  /** A reply of any kind: the platform can be reached. */
  readonly reached: () => void;
  /** The platform let a request through. */
  readonly progressed: () => void;
}

function createProgressTimeout(maxWaitMs: number, clock: Pick<Clock, "monotonic">): ProgressTimeout {
  let unsentSince: number | undefined;
  let stuckSince: number | undefined;
  let everReached = false;

  return {
    unsent(code, reason) {
      unsentSince ??= clock.monotonic();
      if (code === "ENOTFOUND" && !everReached) return unknownHost(reason);
      return clock.monotonic() - unsentSince >= maxWaitMs ? unreachable(reason, maxWaitMs) : undefined;
    },
    pushedBack(afterMs = 0) {
      stuckSince ??= clock.monotonic();
      const waited = clock.monotonic() - stuckSince;
      return afterMs > maxWaitMs || waited >= maxWaitMs ? pushedBackTooLong(afterMs, maxWaitMs) : undefined;
    },
    reached() {
      unsentSince = undefined;
      everReached = true;
    },
    progressed() {
      stuckSince = undefined;
    },
  };
}

const RESUME_HINT = "run the same command or `migrate resume`: it goes on where it stopped";

function unknownHost(reason: string): Failure {
  return new Failure("usage", reason, { hint: "check the host name in the base URL" });
}

function unreachable(reason: string, maxWaitMs: number): Failure {
  return new Failure("platform_unreachable", `${reason}, for ${seconds(maxWaitMs)}`, { hint: RESUME_HINT });
}

function pushedBackTooLong(afterMs: number, maxWaitMs: number): Failure {
  const what =
    afterMs > maxWaitMs
      ? `the platform asks to come back in ${seconds(afterMs)}`
      : `the platform has let nothing through for ${seconds(maxWaitMs)}`;
  return new Failure("incomplete", what, { hint: RESUME_HINT });
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}
