import { definedMembers } from "../json/defined-members.ts";
import { type Clock, timestamp } from "../time/clock.ts";
import type { Writable } from "../model/writable.ts";
import { namesAccount } from "../platform/reply/named-record.ts";
import { type AttrPath, NON_FIELD_ERRORS } from "../json/attr.ts";
import { valueAt } from "../json/json-value.ts";
import type { PlatformProblem } from "../model/problem.ts";
import type { AttemptOutcome, PartialRecord } from "../ledger/records/requests.ts";
import type { RequestResult } from "../platform/import/classified-request.ts";
import type { ReplyClass } from "../platform/reply/reply-class.ts";
import { locateProblems } from "./locate-problems.ts";
import { isIdempotent, isOwnContent, type RecordState, type StepProgress } from "./record-state.ts";

export interface RecordOutcome {
  readonly status: AttemptOutcome["status"];
  readonly problems?: readonly PlatformProblem[];
  readonly account?: string;
  readonly reason?: string;
  /** The step that this outcome completes. */
  readonly step?: string | undefined;
  /** Whether the platform had already completed the step, perhaps with different content. */
  readonly mayHoldOther?: boolean;
  /** Set if the platform has the rejected record in part. */
  readonly partial?: PartialRecord;
}

/**
 * Returns the outcome of a record that is not sent again.
 * @param remoteValidation whether the platform only validates; a record that it accepts is then `valid`
 */
export function outcomeOf(result: RequestResult, state: RecordState, remoteValidation = false): RecordOutcome {
  const { replyClass, http } = result;
  if (replyClass.kind === "accepted") {
    if (replyClass.exists === true) return existingOutcome(result, replyClass, state);
    return remoteValidation
      ? { status: "valid", problems: located(replyClass.warnings ?? [], state) }
      : acceptedOutcome(replyClass, state);
  }
  if (replyClass.kind === "blocked") return { status: "blocked", problems: located(replyClass.problems, state) };
  if (replyClass.kind === "rejected") return rejectedOutcome(result, replyClass, state);
  if (replyClass.kind === "unauthorised") return { status: "blocked", reason: "HTTP 401" };
  if (replyClass.kind !== "stop") return { status: statusWithoutReply(result, state), reason: replyClass.reason };
  return { status: http === undefined ? "pending" : "blocked", reason: replyClass.failure.message };
}

function located(problems: readonly PlatformProblem[], { toSend, position }: RecordState): readonly PlatformProblem[] {
  return locateProblems(problems, toSend, position.step.choices);
}

type Rejected = Extract<ReplyClass, { readonly kind: "rejected" }>;

function rejectedOutcome({ http }: RequestResult, replyClass: Rejected, state: RecordState): RecordOutcome {
  const found = { problems: located(replyClass.problems, state), ...definedMembers({ account: replyClass.account }) };
  const isSettled = !state.isAmbiguous || (replyClass.isFinal === true && !isOtherUnclear(state));
  if (!isSettled) {
    const reason = `HTTP ${http ?? "reply"} to a repeated request; ${EARLIER_UNKNOWN}`;
    return { status: "ambiguous", ...found, reason };
  }
  return replyClass.isPartial === true && !isIdempotent(state)
    ? { ...partialOutcome(state), ...found }
    : { status: "rejected", ...found };
}

function partialOutcome({ position: { step } }: RecordState): RecordOutcome {
  const reason = "the platform has rejected only items of the record";
  return step.status === undefined
    ? { status: "rejected", reason, partial: { mayRepeat: step.dedupesByKey } }
    : { status: "ambiguous", reason };
}

/**
 * Whether the refused request had different content from an earlier run's request without a clear reply. The
 * refusal then says nothing about the earlier request. A polled refusal is about the record, not about one request.
 */
function isOtherUnclear({ toSend, prior, position }: RecordState): boolean {
  return position.mode === "send" && toSend.isAmbiguous && prior === "other";
}

type Accepted = Extract<ReplyClass, { readonly kind: "accepted" }>;

/**
 * Returns the outcome for a reply that accepts the record. A polled status shows that the platform has the record, but
 * not that it has this content.
 */
function acceptedOutcome(replyClass: Accepted, state: RecordState): RecordOutcome {
  const account = definedMembers({ account: replyClass.account });
  if (state.position.mode === "check" && !isOwnContent(state)) {
    const problems = located([VERSION_UNKNOWN], state);
    return {
      status: "ambiguous",
      problems,
      reason: "the platform has the record, and different content was sent earlier",
      ...account,
    };
  }
  if (replyClass.hadItems === true && state.prior === "accepted" && !state.isAmbiguous)
    return { ...ignoredRevision(state), ...account };
  return state.wasDoneBefore
    ? { status: "existing", reason: "the platform had already completed an earlier step", ...account }
    : { status: "accepted", ...account };
}

const VERSION_UNKNOWN = recordProblem(
  "version_unknown",
  "The platform has this record, perhaps with different content that was sent earlier.",
);

function recordProblem(code: string, detail: string): PlatformProblem {
  return { attr: NON_FIELD_ERRORS, severity: "error", by: "platform", code, detail };
}

function existingOutcome({ http }: RequestResult, replyClass: Accepted, state: RecordState): RecordOutcome {
  const account = definedMembers({ account: replyClass.account });
  if (isOwnContent(state)) return { status: "accepted", ...account };
  if (state.prior === "accepted") return { ...ignoredRevision(state), ...account };
  return { status: "existing", reason: `HTTP ${http ?? "reply"}: the platform already has the record`, ...account };
}

function ignoredRevision(state: RecordState): RecordOutcome {
  return { status: "rejected", problems: located([REVISION_IGNORED], state) };
}

const REVISION_IGNORED = recordProblem(
  "revision_ignored",
  "The platform already has this record and has not applied the change.",
);

/** Returns the outcome of a record if the run stops before the record can be sent again. */
export function interruptedOutcome(result: RequestResult, state: StepProgress): RecordOutcome {
  const { replyClass } = result;
  const status = statusWithoutReply(result, state);
  return "reason" in replyClass ? { status, reason: replyClass.reason } : { status };
}

/**
 * Changes a record's outcome to `pending` if a closed import supplier blocks the record. Used in runs that wait for the
 * supplier.
 */
export function awaitingSupplier(outcome: RecordOutcome): RecordOutcome {
  const { status, problems } = outcome;
  return status === "blocked" && problems !== undefined
    ? { status: "pending", reason: problems[0]?.code ?? "" }
    : outcome;
}

/**
 * Returns the status of a record without a clear reply. The request may have been processed, which matters only if the
 * request is not idempotent.
 */
function statusWithoutReply({ replyClass }: RequestResult, state: StepProgress): "ambiguous" | "pending" {
  return replyClass.kind === "ambiguous" && !isIdempotent(state) ? "ambiguous" : "pending";
}

/**
 * Makes a `pending` or `blocked` outcome ambiguous if an earlier request had no clear reply, because the record may be
 * on the platform.
 */
export function keepAmbiguous(
  outcome: RecordOutcome,
  { isAmbiguous }: Pick<RecordState, "isAmbiguous">,
): RecordOutcome {
  const { status, reason } = outcome;
  if (!isAmbiguous || (status !== "pending" && status !== "blocked")) return outcome;
  const because = reason === undefined ? EARLIER_UNKNOWN : `${reason}; ${EARLIER_UNKNOWN}`;
  return { ...outcome, status: "ambiguous", reason: because };
}

const EARLIER_UNKNOWN = "an earlier request has an unknown outcome";

export function attemptOutcomeFor(
  { toSend, json, attempt }: RecordState,
  { status, problems = [], account, reason, step, mayHoldOther, partial }: RecordOutcome,
  context: {
    readonly clock: Clock;
    readonly result: RequestResult | undefined;
    readonly accountOwner?: AttrPath | undefined;
  },
): AttemptOutcome {
  const { result, clock, accountOwner } = context;
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
    const { payload, parameters } = toSend;
    const isPart = accountOwner !== undefined && valueAt(payload, accountOwner) !== undefined;
    outcome.isNewAccount = !isPart && !namesAccount({ json, parameters }, account);
  }
  if (reason !== undefined) outcome.reason = reason;
  if (step !== undefined) outcome.step = step;
  if (mayHoldOther === true) outcome.mayHoldOther = true;
  if (partial !== undefined) outcome.partial = partial;
  return outcome;
}
