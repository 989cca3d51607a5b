import type { Clock } from "../model/clock.ts";
import type { Failure } from "../model/failure.ts";
import type { Answer } from "../platform/judged-request.ts";
import { createCircuit } from "./circuit.ts";
import type { Pace, Ticket } from "./pace.ts";
import type { RetryBudget } from "./retry.ts";
import { createStall } from "./stall.ts";

/** What answers tell about the platform, apart from the record each is about. */
export interface Watch {
  /**
   * Adapts the pace. Returns the failure that ends the run, or undefined.
   * @param inFlight requests under way, the answered one included
   */
  readonly learn: (answer: Answer, ticket: Ticket, inFlight: number) => Failure | undefined;
}

export interface WatchParts {
  readonly pace: Pace;
  readonly budget: RetryBudget;
  readonly clock: Clock;
  readonly maxWaitMs: number;
}

export function createWatch({ pace, budget, clock, maxWaitMs }: WatchParts): Watch {
  const circuit = createCircuit(pace.most);
  const stall = createStall(maxWaitMs, clock);

  return {
    learn({ verdict, pushBack, durationMs }, ticket, inFlight) {
      if (verdict.kind === "held") return undefined;
      if (verdict.kind === "unsent") {
        pace.unreachable(ticket, verdict.reason);
        return stall.unsent(verdict.code, verdict.reason);
      }
      pace.reached();
      stall.reached();
      if (verdict.kind === "accepted" || verdict.kind === "rejected") {
        stall.moved();
        budget.payBack();
      }
      const opened = circuit.judge(verdict);
      if (pushBack === undefined) {
        if (verdict.kind !== "ambiguous") pace.answered(durationMs, inFlight);
        return opened;
      }
      pace.pushedBack(ticket, pushBack);
      return opened ?? stall.pushedBack(pushBack.afterMs);
    },
  };
}
