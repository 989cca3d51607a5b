import type { Clock } from "../time/clock.ts";
import type { PlatformProblem } from "../model/problem.ts";
import type { Intent, AttemptOutcome } from "../ledger/ledger.ts";
import type { RequestResult } from "../platform/import/classified-request.ts";
import type { ReplyClass } from "../platform/reply/reply-class.ts";
import { locateProblems } from "./locate-problems.ts";
import type { Epoch } from "./rate/adaptive-concurrency.ts";
import { isAlreadyOnPlatform, type WorkflowPosition } from "./workflow-position.ts";
import type { RecordToSend } from "./upload-types.ts";
import type { StepSlot } from "./rate/step-limit.ts";

/** A record on its way. */
export interface RecordState {
  readonly toSend: RecordToSend;
  /** Where it is on its way through the steps. */
  position: WorkflowPosition;
  /** The attempt that its latest intent is for. */
  attempt: number;
  /** Requests made for the step in this run. */
  tries: number;
  /** A request had no clear answer, in this run or before: only a clear one can say now what became of the record. */
  isAmbiguous: boolean;
  epoch: Epoch;
  /** Looks at what became of the step. */
  polls: number;
  /** Those of them in a row that found nothing under way. */
  notFoundCount: number;
  /** When it was first looked for, on the monotonic clock. */
  pollingSince: number | undefined;
  /** Its way through the gate of its step, while a request is under way. */
  stepSlot: StepSlot | undefined;
}

export function newRecordState(toSend: RecordToSend, at: WorkflowPosition): RecordState {
  const { attempts, isAmbiguous } = toSend;
  return {
    toSend,
    ...atPosition(at),
    attempt: attempts + 1,
    isAmbiguous,
    epoch: 0,
    stepSlot: undefined,
  };
}

/** What a state is when it comes to a step. */
export function atPosition(
  position: WorkflowPosition,
): Pick<RecordState, "position" | "tries" | "polls" | "notFoundCount" | "pollingSince"> {
  return { position, tries: 0, polls: 0, notFoundCount: 0, pollingSince: undefined };
}

/** Whether what is being done for it changes nothing that cannot be changed again. */
export function isIdempotent({ position }: Pick<RecordState, "position">): boolean {
  return position.mode !== "send" || position.step.idempotent;
}

/** What an answer makes of the record if it is not sent again. */
export interface RecordOutcome {
  readonly status: AttemptOutcome["status"];
  readonly problems?: readonly PlatformProblem[];
  readonly account?: string;
  readonly reason?: string;
  /** The step that is done with this. */
  readonly step?: string | undefined;
}

/** @param remoteValidation nothing is to be created: what is taken is `valid` */
export function outcomeOf(
  answer: RequestResult,
  state: Pick<RecordState, "toSend" | "isAmbiguous" | "position">,
  remoteValidation = false,
): RecordOutcome {
  const { replyClass, http } = answer;
  const { toSend, isAmbiguous } = state;
  if (replyClass.kind === "accepted") return acceptedOutcome(answer, replyClass, remoteValidation ? toSend : undefined);
  if (replyClass.kind === "blocked")
    return { status: "blocked", problems: locateProblems(replyClass.problems, toSend) };
  if (replyClass.kind === "rejected") {
    return { status: "rejected", problems: locateProblems(replyClass.problems, toSend), ...accountOf(replyClass) };
  }
  if (replyClass.kind === "retry" && replyClass.problems !== undefined && !isAmbiguous) {
    return { status: "rejected", problems: locateProblems(replyClass.problems, toSend), reason: replyClass.reason };
  }
  if (replyClass.kind === "unauthorised") return { status: "blocked", reason: "HTTP 401" };
  if (replyClass.kind !== "stop") return { status: unansweredStatus(answer, state), reason: replyClass.reason };
  return { status: http === undefined ? "pending" : "blocked", reason: replyClass.failure.message };
}

/** @param rehearsed what was only tried: `valid`, unless it is on the platform already */
function acceptedOutcome(
  answer: RequestResult,
  verdict: Extract<ReplyClass, { readonly kind: "accepted" }>,
  rehearsed: RecordToSend | undefined,
): RecordOutcome {
  if (rehearsed === undefined || isAlreadyOnPlatform(answer)) return { status: "accepted", ...accountOf(verdict) };
  return { status: "valid", problems: locateProblems(verdict.warnings ?? [], rehearsed) };
}

function accountOf(verdict: { readonly account?: string }): { readonly account?: string } {
  return verdict.account === undefined ? {} : { account: verdict.account };
}

/** What an answer makes of the record when it was to be sent again and the run stops. */
export function interruptedOutcome(answer: RequestResult, state: Pick<RecordState, "position">): RecordOutcome {
  const { replyClass } = answer;
  const status = unansweredStatus(answer, state);
  return "reason" in replyClass ? { status, reason: replyClass.reason } : { status };
}

/** What a closed import supplier did not take is still to be sent, when the run waits for it. */
export function awaitingSupplier(conclusion: RecordOutcome): RecordOutcome {
  const { status, problems } = conclusion;
  return status === "blocked" && problems !== undefined
    ? { status: "pending", reason: problems[0]?.code ?? "" }
    : conclusion;
}

/** What got no answer may have been processed, unless to process it does no harm. */
function unansweredStatus(
  { replyClass }: RequestResult,
  state: Pick<RecordState, "position">,
): "ambiguous" | "pending" {
  return replyClass.kind === "ambiguous" && !isIdempotent(state) ? "ambiguous" : "pending";
}

/** What was never sent, held back or pushed back may be on the platform all the same, from an earlier request. */
export function keepAmbiguous(
  conclusion: RecordOutcome,
  { isAmbiguous }: Pick<RecordState, "isAmbiguous">,
): RecordOutcome {
  const { status, reason } = conclusion;
  if (!isAmbiguous || (status !== "pending" && status !== "blocked")) return conclusion;
  const doubt = "an earlier request had no clear answer";
  return { ...conclusion, status: "ambiguous", reason: reason === undefined ? doubt : `${reason}; ${doubt}` };
}

export function intentFor(state: RecordState, clock: Clock): Intent {
  const { attempt, isAmbiguous, position } = state;
  const { record, identity, content } = state.toSend;
  const idempotent = isIdempotent(state) && !isAmbiguous;
  const { name } = position.step;
  return {
    record,
    identity,
    content,
    attempt,
    idempotent,
    at: stamp(clock),
    ...(name !== undefined && { step: name }),
  };
}

export function attemptOutcomeFor(
  { toSend, attempt }: RecordState,
  { status, problems = [], account, reason, step }: RecordOutcome,
  context: { readonly clock: Clock; readonly answer: RequestResult | undefined },
): AttemptOutcome {
  const { answer, clock } = context;
  return {
    record: toSend.record,
    identity: toSend.identity,
    attempt,
    status,
    problems,
    ...(answer?.http === undefined ? {} : { http: answer.http }),
    ...(account === undefined ? {} : { account }),
    ...(answer === undefined ? {} : { durationMs: Math.round(answer.durationMs) }),
    ...(reason === undefined ? {} : { reason }),
    ...(step === undefined ? {} : { step }),
    at: stamp(clock),
  };
}

function stamp(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}
