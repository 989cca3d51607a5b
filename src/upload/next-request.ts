import { STEP_COMPLETED } from "../ledger/records/requests.ts";
import type { RequestResult } from "../platform/import/classified-request.ts";
import type { RepeatedAttempt } from "./ledger-writer.ts";
import {
  attemptOutcomeFor,
  awaitingSupplier,
  interruptedOutcome,
  keepAmbiguous,
  outcomeOf,
  type RecordOutcome,
} from "./record-outcome.ts";
import {
  atPosition,
  detach,
  intentFor,
  isOwnContent,
  noteDoneBefore,
  noteUnclear,
  type RecordState,
  settlesEarlierRequests,
  startPatience,
} from "./record-state.ts";
import type { SendContext } from "./send-context.ts";
import type { PollHistory, WorkflowPosition } from "./workflow-position.ts";

/** Saves the record's outcome and releases the record. */
export function finish(
  state: RecordState,
  outcome: RecordOutcome,
  result: RequestResult | undefined,
  { clock, ledgerWriter, onSaved, options, queue, supplierBreakers }: SendContext,
): void {
  state.patience?.end();
  const { accountOwner } = options;
  const saved = attemptOutcomeFor(state, keepAmbiguous(outcome, state), { clock, result, accountOwner });
  ledgerWriter.saveOutcome(saved, () => onSaved(saved));
  supplierBreakers.recordDone(state.toSend.supplier);
  queue.recordDone();
}

/** Moves the record to a step, and limits how long the status of the step is polled. */
export function enterPosition(state: RecordState, to: WorkflowPosition, context: SendContext): void {
  const { clock, queue, shutdown } = context;
  state.patience?.end();
  state.patience = undefined;
  Object.assign(state, atPosition(to));
  if (to.mode === "send" || to.step.status === undefined) return;
  const ms = to.step.status.timeoutMs + untrustedMs(state, context);
  const patience = startPatience({ ms, clock, stopping: shutdown.stopping });
  state.patience = patience;
  const leaveQueue = (): void => {
    if (queue.remove(state)) giveUpPolling(state, undefined, context);
  };
  patience.over.addEventListener("abort", leaveQueue, { once: true });
}

/** Leaves the record to a later run, because its status did not become final in time. */
export function giveUpPolling(state: RecordState, result: RequestResult | undefined, context: SendContext): void {
  const { mode, step } = state.position;
  // The platform accepted the request but no longer finds the record.
  if (mode === "wait" && state.notFoundCount > 0) noteUnclear(state);
  const last = result !== undefined && "reason" in result.replyClass ? `${result.replyClass.reason}; ` : "";
  const reason = `${last}no final status within ${(step.status?.timeoutMs ?? 0) / 1000} s`;
  finish(state, { status: "pending", reason }, result, context);
}

/** Ends the upload after a ledger failure or a bug, because the record cannot get an outcome. */
export function failRecord(error: unknown, { queue, shutdown }: SendContext): void {
  shutdown.stop(error);
  queue.recordDone();
}

/** Moves the record to its next step, polls or sends its current step again, or gives the record its outcome. */
export async function applyResult(state: RecordState, result: RequestResult, context: SendContext): Promise<void> {
  const action = context.stepOrder.nextAction(result, state.position, pollHistoryOf(state, result, context));
  if (action.kind === "advance") await advance(state, result, action.to, context);
  else if (action.kind === "poll") await pollLater(state, result, nextPollMs(state, context), context);
  else if (action.kind === "send") await sendAfterCheck(state, result, context);
  else {
    // The platform accepted the request but no longer finds the record.
    if (result.replyClass.kind === "absent") noteUnclear(state);
    const outcome = outcomeOf(result, state, context.options.remoteValidation);
    finish(state, context.supplierBreakers.waits ? awaitingSupplier(outcome) : outcome, result, context);
  }
}

/** Updates the polling state of the record and returns its polling history, including this reply. */
function pollHistoryOf(state: RecordState, { replyClass: { kind } }: RequestResult, context: SendContext): PollHistory {
  const isCheck = state.position.mode === "check";
  const isAbsent = kind === "absent" || (kind === "rejected" && isCheck);
  state.notFoundCount = isAbsent && untrustedMs(state, context) === 0 ? state.notFoundCount + 1 : 0;
  // Resets the interval, so that the second poll follows one interval after the first. The second poll is decisive.
  if (isCheck && state.notFoundCount > 0) state.polls = 0;
  const isOwn = isOwnContent(state);
  if (kind === "waiting" && (!isCheck || isOwn)) state.isAmbiguous = false;
  const isTimedOut = state.patience?.isOver() ?? false;
  const { isAmbiguous, notFoundCount } = state;
  return { isAmbiguous, isOwnContent: isOwn, notFoundCount, isTimedOut };
}

/** Maximum polling interval, as a multiple of the configured interval. The interval doubles with each poll. */
const MAX_POLL_BACKOFF = 8;

function nextPollMs(state: RecordState, context: SendContext): number {
  const intervals = Math.min(2 ** state.polls, MAX_POLL_BACKOFF);
  state.polls += 1;
  state.tries = 0;
  const ms = intervals * (state.position.step.status?.intervalMs ?? 0);
  return Math.min(ms, untrustedMs(state, context) || ms);
}

/** Returns the remaining milliseconds during which "not found" proves nothing about an earlier request. */
function untrustedMs({ position }: RecordState, { clock, options }: SendContext): number {
  if (position.mode !== "check") return 0;
  return Math.max(0, (options.trustNotFoundFrom ?? 0) - clock.monotonic());
}

/** Sends the step, because polls did not find the record. The outcome of the polls is written with the intent. */
async function sendAfterCheck(state: RecordState, result: RequestResult, context: SendContext): Promise<void> {
  const { clock } = context;
  const notFound = { ...interruptedOutcome(result, state), mayHoldOther: state.prior === "other" };
  const outcome = attemptOutcomeFor(state, notFound, { clock, result });
  const fallback = attemptOutcomeFor(state, keepAmbiguous(notFound, state), { clock, result });
  enterPosition(state, { step: state.position.step, mode: "send" }, context);
  state.isAmbiguous = false;
  state.account = undefined;
  await sendAgain(state, [{ outcome, fallback }], context);
}

/** Repeats the request, or polls again, after a delay. */
export function retryLater(
  state: RecordState,
  result: RequestResult,
  afterMs: number,
  context: SendContext,
): Promise<void> {
  return state.position.mode === "send"
    ? resendLater(state, result, afterMs, context)
    : pollLater(state, result, afterMs, context);
}

/**
 * Polls again after a delay. Writes nothing to the ledger, because the intent remains valid and polling changes
 * nothing.
 */
async function pollLater(
  state: RecordState,
  result: RequestResult,
  afterMs: number,
  context: SendContext,
): Promise<void> {
  const { clock, queue, shutdown } = context;
  detach(state);
  queue.countWaiting(1);
  await clock.sleep(Math.min(afterMs, state.patience?.leftMs() ?? afterMs), shutdown.stopping);
  queue.countWaiting(-1);
  if (shutdown.stopping.aborted) finish(state, interruptedOutcome(result, state), result, context);
  else if (state.patience?.isOver() === true) giveUpPolling(state, result, context);
  else queue.putBack(state);
}

/**
 * Gives the attempt the outcome `pending` and starts a new attempt after a delay. The outcome of a refused attempt is
 * written immediately. The outcome of an ambiguous attempt is written together with the next intent, because the record
 * must remain ambiguous if the process crashes in between.
 */
async function resendLater(
  state: RecordState,
  result: RequestResult,
  afterMs: number,
  context: SendContext,
): Promise<void> {
  const { clock, ledgerWriter, onSaved, queue, shutdown } = context;
  detach(state);
  const interrupted = interruptedOutcome(result, state);
  if (shutdown.stopping.aborted) return finish(state, interrupted, result, context);
  const outcome = attemptOutcomeFor(state, { ...interrupted, status: "pending" }, { clock, result });
  const saved = state.isAmbiguous
    ? undefined
    : new Promise<void>((resolve) => {
        ledgerWriter.saveOutcome(outcome, resolve);
      });
  if (saved !== undefined) queue.countWaiting(1);
  await clock.sleep(afterMs, shutdown.stopping);
  if (saved !== undefined) queue.countWaiting(-1);
  if (!shutdown.stopping.aborted) {
    const fallback = attemptOutcomeFor(state, keepAmbiguous(interrupted, state), { clock, result });
    return sendAgain(state, saved === undefined ? [{ outcome, fallback }] : [], context);
  }
  if (saved === undefined) return finish(state, interrupted, result, context);
  queue.recordDone();
  await saved;
  onSaved(outcome);
}

/**
 * Completes a step. The outcome is written together with the intent for the next step, so that no crash can separate
 * them. After the last requested step, the record remains `pending`. If the platform had already completed the step,
 * perhaps with different content, the step is not recorded. The platform is then queried again after a crash.
 */
async function advance(
  state: RecordState,
  result: RequestResult,
  to: WorkflowPosition | undefined,
  context: SendContext,
): Promise<void> {
  const { clock, shutdown } = context;
  const { replyClass } = result;
  if (replyClass.kind === "accepted" && replyClass.exists === true && !isOwnContent(state)) noteDoneBefore(state);
  const { completed, name } = state.position.step;
  const step = state.wasDoneBefore ? undefined : (completed?.(state.toSend.steps) ?? name);
  const done = { status: "pending", reason: STEP_COMPLETED, step, mayHoldOther: state.wasDoneBefore } as const;
  if (settlesEarlierRequests(state, context.steps[0])) state.isAmbiguous = false;
  if (to === undefined || shutdown.stopping.aborted) return finish(state, done, result, context);
  const outcome = attemptOutcomeFor(state, done, { clock, result });
  const fallback = attemptOutcomeFor(state, keepAmbiguous(done, state), { clock, result });
  enterPosition(state, to, context);
  await sendAgain(state, [{ outcome, fallback }], context);
}

/** Returns the record to the queue for a new attempt, once the intent of the attempt is durable. */
async function sendAgain(
  state: RecordState,
  repeated: readonly RepeatedAttempt[],
  context: SendContext,
): Promise<void> {
  const { ledgerWriter, queue } = context;
  state.attempt += 1;
  await ledgerWriter.saveIntents([intentFor(state)], repeated);
  if (state.patience?.isOver() === true) giveUpPolling(state, undefined, context);
  else queue.putBack(state);
}
