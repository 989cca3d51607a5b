import type { Failure } from "../model/failure.ts";
import { SUPPLIER_CLOSED } from "../model/supplier-status.ts";
import type { MaySend, RequestResult } from "../platform/import/classified-request.ts";
import { applyResult, failRecord, finish, giveUpPolling, retryLater } from "./next-request.ts";
import { isIdempotent, noteUnclear, type RecordState } from "./record-state.ts";
import { decideRetry } from "./retry.ts";
import type { SendContext } from "./send-context.ts";

/**
 * Sends one request for a record and handles its reply. After a shutdown, sends no request, and the record becomes
 * `pending`, or `ambiguous` if the platform may already have it. Never rejects.
 */
async function sendRecord(state: RecordState, context: SendContext): Promise<void> {
  if (mayBeSent(state, context)) await sendOnce(state, context).catch((error: unknown) => failRecord(error, context));
  else if (isPatienceOver(state, context)) giveUpPolling(state, undefined, context);
  else finish(state, { status: "pending", reason: "not sent" }, undefined, context);
}

async function sendOnce(state: RecordState, context: SendContext): Promise<void> {
  const { accountNumbers, circuitBreaker, queue, rate, retryBudget: budget, random, shutdown, stepLimits } = context;
  state.epoch = rate.epoch();
  const received = await request(state, context);
  const reply = accountNumbers.check(received, state);
  // The platform may have created a second account.
  if (reply !== received) noteUnclear(state);
  const result = withSupplierState(reply, state, context);
  const observed = withoutStepLimit(result, state, context);
  const failure = circuitBreaker.observe(observed, state.epoch, stepLimits.inFlight()) ?? supplierFailure(context);
  if (failure !== undefined) shutdown.stop(failure);
  if (isPatienceOver(state, context) && !isAnswer(result)) {
    giveUpPolling(state, result, context);
    return;
  }
  if (result.replyClass.kind === "unsent" && !shutdown.stopping.aborted) {
    queue.putBack(state);
    return;
  }
  state.tries += 1;
  const idempotent = isIdempotent(state);
  if (result.replyClass.kind === "ambiguous" && !idempotent) noteUnclear(state);
  const mayRepeat = idempotent || state.position.step.dedupesByKey;
  const isNoiseKnown = rate.isNoiseKnown();
  const retry = decideRetry(result, { tries: state.tries, mayRepeat, isNoiseKnown, budget, random });
  const next = retry.again ? retryLater(state, result, retry.afterMs, context) : applyResult(state, result, context);
  next.catch((error: unknown) => failRecord(error, context));
}

function request(state: RecordState, context: SendContext): Promise<RequestResult> {
  const { step, mode } = state.position;
  const { payload, steps, parameters } = state.toSend;
  const { aborted } = context.shutdown;
  const maySend = permissionToSend(state, context);
  const given = { fields: steps?.get(step.name ?? ""), parameters, json: state.json };
  return mode === "send" || step.status === undefined
    ? step.send(payload, aborted, maySend, given)
    : step.status.poll(payload, aborted, maySend, given);
}

/**
 * A refusal found by polling says nothing about the supplier, because the platform had accepted the request of the
 * record, or because the refusal may be the reply to an earlier request. The exception is a refusal that reports a
 * closed supplier, if this run sent the refused request.
 */
function withSupplierState(
  result: RequestResult,
  { position: { mode, step }, toSend }: RecordState,
  { supplierBreakers }: SendContext,
): RequestResult {
  const given = result.replyClass;
  if (mode === "send" || given.kind !== "rejected") {
    const replyClass = supplierBreakers.interpret(given, toSend.supplier);
    return replyClass === given ? result : { ...result, replyClass };
  }
  const isOfThisRun = mode === "wait" && toSend.step !== step.name;
  if (isOfThisRun && given.problems.some(({ code }) => code === SUPPLIER_CLOSED))
    supplierBreakers.interpret({ kind: "blocked", problems: given.problems }, toSend.supplier);
  return result;
}

/**
 * Treats a 429 without `Retry-After` at one of several steps as a limit on that step. Returns the result without the
 * push-back, so that the whole run does not slow down.
 */
function withoutStepLimit(
  result: RequestResult,
  { stepSlot }: RecordState,
  { steps, stepLimits }: SendContext,
): RequestResult {
  const isCap = result.http === 429 && result.pushBack?.afterMs === undefined;
  if (!isCap || steps.length <= 1 || stepSlot === undefined) return result;
  stepLimits.pushedBack(stepSlot);
  const { pushBack: _pushBack, ...rest } = result;
  return rest;
}

function supplierFailure({ options, supplierBreakers }: SendContext): Failure | undefined {
  return options.oneSupplier === true && !supplierBreakers.waits ? supplierBreakers.failure() : undefined;
}

function mayBeSent(state: RecordState, context: SendContext): boolean {
  const { shutdown, supplierBreakers } = context;
  const mayStart = !shutdown.stopping.aborted && supplierBreakers.maySend(state.toSend.supplier);
  return mayStart && !isPatienceOver(state, context);
}

function isPatienceOver({ patience }: RecordState, { shutdown }: SendContext): boolean {
  return !shutdown.stopping.aborted && patience?.isOver() === true;
}

/** Whether the reply is about the record or ends the run. */
function isAnswer({ replyClass: { kind } }: RequestResult): boolean {
  return kind !== "unsent" && kind !== "retry" && kind !== "ambiguous" && kind !== "cancelled";
}

/**
 * Returns a function that is called before each request for the record. The first request was already allowed when it
 * was dispatched, so it waits only for a pause that began while it waited for its token. Each further request (a repeat
 * with a newer token, or a query for the reason why a step was refused) waits for its own turn. No request is sent
 * after a shutdown, after the import supplier closes, or when the polling time is over.
 */
function permissionToSend(state: RecordState, context: SendContext): MaySend {
  const { rate, shutdown } = context;
  const { patience } = state;
  const stopping = patience === undefined ? shutdown.stopping : AbortSignal.any([shutdown.stopping, patience.over]);
  let wait = rate.waitForPause;
  return async () => {
    for (;;) {
      const waiting = wait(stopping);
      if (waiting === undefined || !mayBeSent(state, context)) break;
      await waiting;
    }
    wait = rate.waitForTurn;
    state.epoch = rate.epoch();
    return mayBeSent(state, context);
  };
}

/**
 * Sends queued records within the limits of the rate control and the steps. Resolves when the queue is empty and
 * closed. After a shutdown, the remaining records become `pending`, or `ambiguous` if the platform may already have
 * them.
 */
export async function dispatchAll(context: SendContext): Promise<void> {
  const { queue, rate, shutdown, stepLimits } = context;
  const hasSlot = ({ position }: RecordState): boolean => stepLimits.isOpen(position.step);

  const ending = AbortSignal.any([shutdown.stopping, queue.over]);
  /**
   * Returns a promise that resolves when the caller should try again; undefined if a request may be sent immediately.
   */
  const waitForSlot = (): Promise<void> | undefined => {
    if (queue.isIdle(hasSlot) || stepLimits.inFlight() >= rate.limit()) return queue.changed();
    return rate.waitForTurn(ending);
  };

  shutdown.stopping.addEventListener("abort", queue.notify);
  while (!shutdown.stopping.aborted && !queue.isOver()) {
    const wait = waitForSlot();
    if (wait === undefined) void dispatch(queue.next(hasSlot), context);
    else await wait;
  }
  while (!queue.isOver()) {
    const state = queue.next();
    if (state === undefined) await queue.changed();
    else await sendRecord(state, context);
  }
}

async function dispatch(state: RecordState | undefined, context: SendContext): Promise<void> {
  if (state === undefined) return;
  const { queue, stepLimits } = context;
  const slot = stepLimits.enter(state.position.step);
  state.stepSlot = slot;
  await sendRecord(state, context);
  stepLimits.leave(slot);
  queue.notify();
}
