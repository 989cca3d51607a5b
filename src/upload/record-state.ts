import { canonicalJson } from "../json/json-value.ts";
import { type Clock, timestamp } from "../time/clock.ts";
import type { PlatformProblem } from "../model/problem.ts";
import type { Writable } from "../model/writable.ts";
import type { Intent, AttemptOutcome } from "../ledger/ledger.ts";
import type { RequestResult } from "../platform/import/classified-request.ts";
import type { ReplyClass } from "../platform/reply/reply-class.ts";
import { namesAccount } from "../platform/reply/names-account.ts";
import { locateProblems } from "./locate-problems.ts";
import type { Epoch } from "./rate/adaptive-concurrency.ts";
import type { PollPatience } from "./poll-patience.ts";
import { isAlreadyOnPlatform, type WorkflowPosition } from "./workflow-position.ts";
import type { RecordToSend } from "./upload-types.ts";
import type { StepSlot } from "./rate/step-limit.ts";

/** A record with an intent and no outcome yet. */
export interface RecordState {
  toSend: RecordToSend;
  /** The payload as canonical JSON in UTF-8. */
  json: Buffer;
  /** Position in the workflow. */
  position: WorkflowPosition;
  /** The attempt of the latest intent. */
  attempt: number;
  /** Requests for the step in this run. */
  tries: number;
  /** A request of this or an earlier run had no clear reply. The platform may have the record. */
  isAmbiguous: boolean;
  epoch: Epoch;
  /** Status requests for the step. */
  polls: number;
  /** Consecutive polls that found nothing. */
  notFoundCount: number;
  /** Present while the step is polled. */
  patience: PollPatience | undefined;
  /** Held while a request is in flight. */
  stepSlot: StepSlot | undefined;
}

export function newRecordState(toSend: RecordToSend, at: WorkflowPosition): RecordState {
  const { attempts, isAmbiguous } = toSend;
  return {
    toSend,
    json: toSend.json ?? Buffer.from(canonicalJson(toSend.payload)),
    ...atPosition(at),
    attempt: attempts + 1,
    isAmbiguous,
    epoch: 0,
    patience: undefined,
    stepSlot: undefined,
  };
}

/** Copies memory that the record shares with others, because it may wait for a long time. */
export function detach(state: RecordState): void {
  const { toSend } = state;
  if (toSend.detached === undefined) return;
  state.toSend = toSend.detached();
  state.json = state.toSend.json ?? Buffer.from(state.json);
}

/** The state of a record at the start of a step. */
export function atPosition(
  position: WorkflowPosition,
): Pick<RecordState, "position" | "tries" | "polls" | "notFoundCount"> {
  return { position, tries: 0, polls: 0, notFoundCount: 0 };
}

/** Whether the next request of the record may be repeated. */
export function isIdempotent({ position }: Pick<RecordState, "position">): boolean {
  return position.mode !== "send" || position.step.idempotent;
}

export interface RecordOutcome {
  readonly status: AttemptOutcome["status"];
  readonly problems?: readonly PlatformProblem[];
  readonly account?: string;
  readonly reason?: string;
  /** The step that was completed. */
  readonly step?: string | undefined;
}

/**
 * The outcome of a record that is not sent again.
 * @param remoteValidation nothing is created: a record that the platform accepts is `valid`
 */
export function outcomeOf(
  result: RequestResult,
  state: Pick<RecordState, "toSend" | "isAmbiguous" | "position">,
  remoteValidation = false,
): RecordOutcome {
  const { replyClass, http } = result;
  const { toSend, isAmbiguous } = state;
  if (replyClass.kind === "accepted") return acceptedOutcome(result, replyClass, remoteValidation ? toSend : undefined);
  if (replyClass.kind === "blocked")
    return { status: "blocked", problems: locateProblems(replyClass.problems, toSend) };
  if (replyClass.kind === "rejected") {
    const problems = locateProblems(replyClass.problems, toSend);
    return isAmbiguous && replyClass.isFinal !== true
      ? { status: "ambiguous", problems, reason: `HTTP ${http ?? "reply"} to a repeat; ${EARLIER_UNKNOWN}` }
      : { status: "rejected", problems, ...accountOf(replyClass) };
  }
  if (replyClass.kind === "unauthorised") return { status: "blocked", reason: "HTTP 401" };
  if (replyClass.kind !== "stop") return { status: statusWithoutReply(result, state), reason: replyClass.reason };
  return { status: http === undefined ? "pending" : "blocked", reason: replyClass.failure.message };
}

/** @param validated a record that was only validated: `valid`, unless it is already on the platform */
function acceptedOutcome(
  result: RequestResult,
  replyClass: Extract<ReplyClass, { readonly kind: "accepted" }>,
  validated: RecordToSend | undefined,
): RecordOutcome {
  if (validated === undefined || isAlreadyOnPlatform(result)) return { status: "accepted", ...accountOf(replyClass) };
  return { status: "valid", problems: locateProblems(replyClass.warnings ?? [], validated) };
}

function accountOf({ account }: { readonly account?: string }): { readonly account?: string } {
  return account === undefined ? {} : { account };
}

/** The outcome if the run stops before the record could be sent again. */
export function interruptedOutcome(result: RequestResult, state: Pick<RecordState, "position">): RecordOutcome {
  const { replyClass } = result;
  const status = statusWithoutReply(result, state);
  return "reason" in replyClass ? { status, reason: replyClass.reason } : { status };
}

/** A record blocked by a closed import supplier remains `pending` if the run waits for the supplier. */
export function awaitingSupplier(outcome: RecordOutcome): RecordOutcome {
  const { status, problems } = outcome;
  return status === "blocked" && problems !== undefined
    ? { status: "pending", reason: problems[0]?.code ?? "" }
    : outcome;
}

/** A record without a clear reply may have been processed. That matters unless the request is idempotent. */
function statusWithoutReply(
  { replyClass }: RequestResult,
  state: Pick<RecordState, "position">,
): "ambiguous" | "pending" {
  return replyClass.kind === "ambiguous" && !isIdempotent(state) ? "ambiguous" : "pending";
}

/** A record that was not sent or was refused may still be on the platform, from an earlier ambiguous request. */
export function keepAmbiguous(
  outcome: RecordOutcome,
  { isAmbiguous }: Pick<RecordState, "isAmbiguous">,
): RecordOutcome {
  const { status, reason } = outcome;
  if (!isAmbiguous || (status !== "pending" && status !== "blocked")) return outcome;
  const because = reason === undefined ? EARLIER_UNKNOWN : `${reason}; ${EARLIER_UNKNOWN}`;
  return { ...outcome, status: "ambiguous", reason: because };
}

const EARLIER_UNKNOWN = "an earlier request had no clear answer";

/** @param at ISO 8601 UTC; intents of one transaction share it, which makes the write cheaper */
export function intentFor(state: RecordState, at: string): Intent {
  const { attempt, isAmbiguous, position } = state;
  const { record, identity, content, rowHash } = state.toSend;
  const idempotent = isIdempotent(state) && !isAmbiguous;
  const { name } = position.step;
  return {
    record,
    identity,
    content,
    attempt,
    idempotent,
    rowHash,
    at,
    ...(name !== undefined && { step: name }),
  };
}

export function attemptOutcomeFor(
  { toSend, json, attempt }: RecordState,
  { status, problems = [], account, reason, step }: RecordOutcome,
  context: { readonly clock: Clock; readonly result: RequestResult | undefined },
): AttemptOutcome {
  const { result, clock } = context;
  const outcome: Writable<AttemptOutcome> = {
    record: toSend.record,
    identity: toSend.identity,
    attempt,
    status,
    problems,
    at: timestamp(clock),
  };
  if (result?.http !== undefined) outcome.http = result.http;
  if (result !== undefined) outcome.durationMs = Math.round(result.durationMs);
  if (account !== undefined) {
    outcome.account = account;
    outcome.isNewAccount = !namesAccount({ json }, account);
  }
  if (reason !== undefined) outcome.reason = reason;
  if (step !== undefined) outcome.step = step;
  return outcome;
}
