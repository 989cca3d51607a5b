import type { AttemptOutcome } from "../ledger/ledger.ts";
import type { RequestResult } from "../platform/import/classified-request.ts";
import type { SupplierBreakers } from "./breaker/supplier-breaker.ts";
import type { LedgerWriter } from "./ledger-writer.ts";
import type { RateControl } from "./rate/adaptive-concurrency.ts";
import type { StepLimits } from "./rate/step-limit.ts";
import type { RecordOutcome, RecordState } from "./record-state.ts";
import { atPosition, attemptOutcomeFor, intentFor, interruptedOutcome, keepAmbiguous } from "./record-state.ts";
import type { SendQueue } from "./send-queue.ts";
import type { Shutdown } from "./shutdown.ts";
import type { UploadDependencies } from "./upload-types.ts";
import type { PollHistory, StepOrder, WorkflowPosition } from "./workflow-position.ts";

/** How a record goes on after an answer. Both may wait, and reject when the ledger does. */
interface NextRequest {
  /** The same once more, after a while. */
  readonly retry: (state: RecordState, answer: RequestResult, afterMs: number) => Promise<void>;
  /** To the next step, to another look at what became of this one, or to its end. */
  readonly proceed: (
    state: RecordState,
    answer: RequestResult,
    end: (state: RecordState, answer: RequestResult) => void,
  ) => Promise<void>;
}

/** Looks come less often the longer nothing changes: up to so many intervals apart. */
const MAX_POLL_BACKOFF = 8;

export function createNextRequest(dependencies: UploadDependencies, tools: SendContext, finish: Finish): NextRequest {
  const { clock } = dependencies;
  const { queue, shutdown, stepOrder } = tools;
  const resend = createResend(dependencies, tools, finish);
  const advance = createAdvance(dependencies, tools, finish);

  /** Nothing is written down: the intent stands, and to look changes nothing. */
  const lookAgain = async (state: RecordState, answer: RequestResult, afterMs: number): Promise<void> => {
    queue.countWaiting(1);
    await clock.sleep(afterMs, shutdown.stopping);
    queue.countWaiting(-1);
    if (shutdown.stopping.aborted) finish(state, interruptedOutcome(answer, state), answer);
    else queue.putBack(state);
  };

  return {
    retry: (state, answer, afterMs) =>
      state.position.mode === "send" ? resend(state, answer, afterMs) : lookAgain(state, answer, afterMs),
    async proceed(state, answer, end) {
      const { step } = state.position;
      const turn = stepOrder.nextAction(answer, state.position, pollHistoryOf(state, answer, clock.monotonic()));
      if (turn.kind === "advance") await advance(state, answer, turn.to);
      else if (turn.kind === "look") await lookAgain(state, answer, nextPollMs(state));
      else if (turn.kind === "send") {
        Object.assign(state, atPosition({ step, mode: "send" }), { isAmbiguous: false });
        queue.putBack(state);
      } else {
        // The platform took it, and knows nothing of it any more.
        if (answer.replyClass.kind === "absent") state.isAmbiguous = true;
        end(state, answer);
      }
    },
  };
}

/** What looking has shown so far, this answer included. */
function pollHistoryOf(state: RecordState, { replyClass: { kind } }: RequestResult, now: number): PollHistory {
  const isNothingThere = kind === "absent" || (kind === "rejected" && state.position.mode === "check");
  state.notFoundCount = isNothingThere ? state.notFoundCount + 1 : 0;
  state.pollingSince ??= now;
  const isTimedOut = now - state.pollingSince >= (state.position.step.status?.timeoutMs ?? 0);
  return { isAmbiguous: state.isAmbiguous, notFoundCount: state.notFoundCount, isTimedOut };
}

/** Milliseconds until the next look. */
function nextPollMs(state: RecordState): number {
  const apart = Math.min(2 ** state.polls, MAX_POLL_BACKOFF);
  state.polls += 1;
  state.tries = 0;
  return apart * (state.position.step.status?.intervalMs ?? 0);
}

/**
 * The step is done: that is written down together with the intent for what comes next, so that no crash can fall
 * in between. Without a next step the record stays `pending` there.
 */
function createAdvance(
  { clock }: UploadDependencies,
  { ledgerWriter, queue, shutdown }: SendContext,
  finish: Finish,
): (state: RecordState, answer: RequestResult, to: WorkflowPosition | undefined) => Promise<void> {
  return async (state, answer, to) => {
    const done = { status: "pending", reason: "done", step: state.position.step.name } as const;
    if (state.position.mode !== "send" || !state.position.step.idempotent) state.isAmbiguous = false;
    if (to === undefined || shutdown.stopping.aborted) {
      finish(state, done, answer);
      return;
    }
    const settlement = attemptOutcomeFor(state, done, { clock, answer });
    const alone = attemptOutcomeFor(state, keepAmbiguous(done, state), { clock, answer });
    Object.assign(state, atPosition(to));
    state.attempt += 1;
    await ledgerWriter.saveIntents([intentFor(state, clock)], [{ settlement, alone }]);
    queue.putBack(state);
  };
}

/**
 * The attempt is settled as `pending`, and the record has a new one after a while. A refused attempt is settled at
 * once; a record in doubt stays in doubt until its next attempt is due, which a crash in between must not hide.
 */
function createResend(
  { clock }: UploadDependencies,
  { ledgerWriter, queue, shutdown, onSaved }: SendContext,
  finish: Finish,
): (state: RecordState, answer: RequestResult, afterMs: number) => Promise<void> {
  const end = (state: RecordState, answer: RequestResult): void =>
    finish(state, interruptedOutcome(answer, state), answer);
  const settlementOf = (state: RecordState, answer: RequestResult): AttemptOutcome =>
    attemptOutcomeFor(state, { ...interruptedOutcome(answer, state), status: "pending" }, { clock, answer });

  const afterDoubt = async (state: RecordState, answer: RequestResult, afterMs: number): Promise<void> => {
    await clock.sleep(afterMs, shutdown.stopping);
    if (shutdown.stopping.aborted) {
      end(state, answer);
      return;
    }
    const alone = attemptOutcomeFor(state, keepAmbiguous(interruptedOutcome(answer, state), state), {
      clock,
      answer,
    });
    const settlement = settlementOf(state, answer);
    state.attempt += 1;
    await ledgerWriter.saveIntents([intentFor(state, clock)], [{ settlement, alone }]);
    queue.putBack(state);
  };

  const afterRefusal = async (state: RecordState, answer: RequestResult, afterMs: number): Promise<void> => {
    if (shutdown.stopping.aborted) {
      end(state, answer);
      return;
    }
    const settlement = settlementOf(state, answer);
    const saved = new Promise<void>((resolve) => {
      ledgerWriter.saveOutcome(settlement, resolve);
    });
    await clock.sleep(afterMs, shutdown.stopping);
    if (shutdown.stopping.aborted) {
      queue.recordDone();
      await saved;
      onSaved(settlement);
      return;
    }
    state.attempt += 1;
    await ledgerWriter.saveIntents([intentFor(state, clock)]);
    queue.putBack(state);
  };

  return (state, answer, afterMs) => (state.isAmbiguous ? afterDoubt : afterRefusal)(state, answer, afterMs);
}

/** What all deliveries of an upload share. */
export interface SendContext {
  readonly queue: SendQueue;
  readonly rate: RateControl;
  readonly ledgerWriter: LedgerWriter;
  readonly shutdown: Shutdown;
  readonly supplierBreakers: SupplierBreakers;
  readonly stepLimits: StepLimits;
  readonly stepOrder: StepOrder;
  /** The record has its outcome, durably. */
  readonly onSaved: (settlement: AttemptOutcome) => void;
  /** Requests under way. */
  readonly inFlight: () => number;
}

/** Gives a record its outcome. */
export type Finish = (state: RecordState, conclusion: RecordOutcome, answer: RequestResult | undefined) => void;
