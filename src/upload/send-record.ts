import type { Failure } from "../model/failure.ts";
import type { MaySend, RequestResult } from "../platform/import/classified-request.ts";
import { createCircuitBreaker } from "./breaker/circuit-breaker.ts";
import type { SupplierBreakers } from "./breaker/supplier-breaker.ts";
import type { Finish, SendContext } from "./next-request.ts";
import { createNextRequest } from "./next-request.ts";
import type { RateControl } from "./rate/adaptive-concurrency.ts";
import type { RecordState } from "./record-state.ts";
import { attemptOutcomeFor, awaitingSupplier, isIdempotent, keepAmbiguous, outcomeOf } from "./record-state.ts";
import { createRetryBudget, decideRetry } from "./retry.ts";
import type { Shutdown } from "./shutdown.ts";
import type { UploadDependencies, UploadOptions } from "./upload-types.ts";

/** Takes one record from the backlog. Never rejects. */
type SendRecord = (state: RecordState | undefined) => Promise<void>;

const MAX_WAIT_MS = 5 * 60_000;

/** One record, one request, and what follows from its answer; once halted, `pending` without a request. */
export function createSendRecord(
  dependencies: UploadDependencies,
  options: UploadOptions,
  tools: SendContext,
): SendRecord {
  const { clock, random } = dependencies;
  const { queue, rate, ledgerWriter, shutdown, supplierBreakers, onSaved, inFlight } = tools;
  const budget = createRetryBudget();
  const watch = createCircuitBreaker({ rate, budget, clock, maxWaitMs: options.maxWaitMs ?? MAX_WAIT_MS });

  const finish: Finish = (state, conclusion, answer) => {
    const settlement = attemptOutcomeFor(state, keepAmbiguous(conclusion, state), { clock, answer });
    ledgerWriter.saveOutcome(settlement, () => onSaved(settlement));
    supplierBreakers.recordDone(state.toSend.supplier);
    queue.recordDone();
  };
  const lose = (error: unknown): void => {
    shutdown.stop(error);
    queue.recordDone();
  };
  const nobodyTakes = (): Failure | undefined =>
    options.oneSupplier === true && !supplierBreakers.waits ? supplierBreakers.failure() : undefined;
  const onward = createNextRequest(dependencies, tools, finish);
  const end = (state: RecordState, answer: RequestResult): void => {
    const conclusion = outcomeOf(answer, state, options.remoteValidation);
    finish(state, supplierBreakers.waits ? awaitingSupplier(conclusion) : conclusion, answer);
  };

  const send = async (state: RecordState): Promise<void> => {
    state.epoch = rate.epoch();
    const answered = await request(state, shutdown.aborted, permissionToSend(state, tools));
    const sent = withoutStepLimit(answered, state, dependencies.steps.length > 1 ? tools : undefined);
    const answer = { ...sent, replyClass: supplierBreakers.interpret(sent.replyClass, state.toSend.supplier) };
    const failure = watch.observe(answer, state.epoch, inFlight()) ?? nobodyTakes();
    if (failure !== undefined) shutdown.stop(failure);
    if (answer.replyClass.kind === "unsent" && !shutdown.stopping.aborted) {
      queue.putBack(state);
      return;
    }
    state.tries += 1;
    const harmless = isIdempotent(state);
    if (answer.replyClass.kind === "ambiguous" && !harmless) state.isAmbiguous = true;
    const mayRepeat = harmless || state.position.step.dedupesByKey;
    const retry = decideRetry(answer, { tries: state.tries, mayRepeat, budget, random });
    if (retry.again) onward.retry(state, answer, retry.afterMs).catch(lose);
    else onward.proceed(state, answer, end).catch(lose);
  };

  return async (state) => {
    if (state === undefined) return;
    const held = shutdown.stopping.aborted || !supplierBreakers.maySend(state.toSend.supplier);
    if (held) finish(state, { status: "pending", reason: "not sent" }, undefined);
    else await send(state).catch(lose);
  };
}

function request({ position, toSend }: RecordState, signal: AbortSignal, mayLeave: MaySend): Promise<RequestResult> {
  const { step, mode } = position;
  const { payload, steps } = toSend;
  if (mode === "send" || step.status === undefined)
    return step.send(payload, signal, mayLeave, steps?.get(step.name ?? ""));
  return step.status.poll(payload, signal, mayLeave);
}

/** A 429 without `Retry-After` at one step of several is that step's own cap: it slows the step, and nothing else. */
function withoutStepLimit(
  answer: RequestResult,
  { stepSlot }: RecordState,
  tools: Pick<SendContext, "stepLimits"> | undefined,
): RequestResult {
  const { pushBack, ...rest } = answer;
  const isCap = answer.http === 429 && pushBack?.afterMs === undefined;
  if (!isCap || tools === undefined || stepSlot === undefined) return answer;
  tools.stepLimits.pushedBack(stepSlot);
  return rest;
}

interface PermissionContext {
  readonly rate: RateControl;
  readonly shutdown: Shutdown;
  readonly supplierBreakers: SupplierBreakers;
}

/**
 * Lets the requests of one delivery go. The first has had its turn when the record was dispatched, and heeds only what
 * has changed since, while it waited for its token; each further one (the repeat with a newer token, the question why a
 * step was refused) waits for its turn as a record does. None leaves when the run is halted, or the import supplier has
 * closed.
 */
function permissionToSend(state: RecordState, { rate, shutdown, supplierBreakers }: PermissionContext): MaySend {
  const mayLeave = (): boolean => !shutdown.stopping.aborted && supplierBreakers.maySend(state.toSend.supplier);
  let turn = rate.waitForPause;
  return async () => {
    for (let wait = turn(shutdown.stopping); wait !== undefined && mayLeave(); wait = turn(shutdown.stopping))
      await wait;
    turn = rate.waitForTurn;
    state.epoch = rate.epoch();
    return mayLeave();
  };
}
