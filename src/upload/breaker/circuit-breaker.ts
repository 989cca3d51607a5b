import { Failure } from "../../model/failure.ts";
import { newTokenRefused } from "../../platform/auth/token-renewal.ts";
import type { RequestResult } from "../../platform/import/classified-request.ts";
import type { ReplyClass } from "../../platform/reply/reply-class.ts";
import type { Clock } from "../../time/clock.ts";
import type { Epoch, RateControl } from "../rate/adaptive-concurrency.ts";
import type { RetryBudget } from "../retry.ts";

/** What answers tell about the platform, apart from the record each is about. */
interface CircuitBreaker {
  /**
   * Adapts the pace. Returns the failure that ends the run, or undefined.
   * @param inFlight requests under way, the answered one included
   */
  readonly observe: (answer: RequestResult, ticket: Epoch, inFlight: number) => Failure | undefined;
}

interface CircuitBreakerDependencies {
  readonly rate: RateControl;
  readonly budget: RetryBudget;
  readonly clock: Clock;
  readonly maxWaitMs: number;
}

export function createCircuitBreaker({ rate, budget, clock, maxWaitMs }: CircuitBreakerDependencies): CircuitBreaker {
  const circuit = createReplyStreaks(rate.maximum);
  const stall = createProgressTimeout(maxWaitMs, clock);

  return {
    observe({ replyClass, pushBack, durationMs }, ticket, inFlight) {
      if (replyClass.kind === "held") return undefined;
      if (replyClass.kind === "unsent") {
        rate.unreachable(ticket, replyClass.reason);
        return stall.unsent(replyClass.code, replyClass.reason);
      }
      rate.reached();
      stall.reached();
      if (replyClass.kind === "accepted" || replyClass.kind === "rejected") {
        stall.progressed();
        budget.payBack();
      }
      const opened = circuit.failureAfter(replyClass);
      if (pushBack === undefined) {
        if (replyClass.kind !== "ambiguous") rate.answered(durationMs, inFlight);
        return opened;
      }
      rate.pushedBack(ticket, pushBack);
      return opened ?? stall.pushedBack(pushBack.afterMs);
    },
  };
}

/** Notices when to go on makes no sense for anybody, from the verdicts in the order they come in. */
interface ReplyStreaks {
  /** The failure that ends the run, or undefined. */
  readonly failureAfter: (verdict: ReplyClass) => Failure | undefined;
}

const MAX_FOREIGN_REPLIES = 3;
const MAX_UNANSWERED = 20;

/** @param mostInFlight as many requests may fail together in one cut of the network, which is no reason to stop yet */
function createReplyStreaks(mostInFlight: number): ReplyStreaks {
  const foreign = createStreak();
  const unanswered = createStreak();

  return {
    failureAfter(verdict) {
      const unclear = verdict.kind === "ambiguous" ? verdict : undefined;
      const strange = foreign.count(unclear?.foreign === true ? "foreign" : undefined);
      const silent = unanswered.count(unclear?.kind);

      if (unclear !== undefined && strange >= MAX_FOREIGN_REPLIES) return notTheApi(unclear.reason);
      if (silent >= Math.max(MAX_UNANSWERED, 2 * mostInFlight)) return noAnswers(silent);
      return immediateFailure(verdict);
    },
  };
}

function immediateFailure(verdict: ReplyClass): Failure | undefined {
  if (verdict.kind === "unauthorised") return newTokenRefused();
  return verdict.kind === "stop" ? verdict.failure : undefined;
}

interface Streak {
  /** How many times in a row the same thing was counted; undefined ends the row. */
  readonly count: (what: string | undefined) => number;
}

function createStreak(): Streak {
  let last: string | undefined;
  let length = 0;
  return {
    count(what) {
      length = what === last ? length + 1 : 1;
      last = what;
      return what === undefined ? 0 : length;
    },
  };
}

function notTheApi(reason: string): Failure {
  return new Failure("wrong_endpoint", `${MAX_FOREIGN_REPLIES} answers in a row were not the API's: ${reason}`, {
    hint: "check the base URL, and whether a proxy or a login page stands in between; the records in doubt are in the report",
  });
}

function noAnswers(count: number): Failure {
  return new Failure("incomplete", `${count} requests in a row got no trustworthy answer`, {
    hint: "once the platform is well again, look up the records in doubt (they are in the report), then run `migrate resume`",
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
  /** A record came through. */
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
