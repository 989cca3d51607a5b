import type { Clock } from "../model/clock.ts";
import type { PlatformProblem } from "../model/problem.ts";
import type { Intent, Settlement } from "../ledger/ledger.ts";
import type { Answer } from "../platform/judged-request.ts";
import type { Verdict } from "../platform/verdict.ts";
import { placeProblems } from "./platform-places.ts";
import type { Ticket } from "./pace.ts";
import { isThere, type Position } from "./route.ts";
import type { Sendable } from "./sendable.ts";
import type { Pass } from "./step-gates.ts";

/** A record on its way. */
export interface Parcel {
  readonly sendable: Sendable;
  /** Where it is on its way through the steps. */
  at: Position;
  /** The attempt that its latest intent is for. */
  attempt: number;
  /** Requests made for the step in this run. */
  tries: number;
  /** A request had no clear answer, in this run or before: only a clear one can say now what became of the record. */
  inDoubt: boolean;
  ticket: Ticket;
  /** Looks at what became of the step. */
  looks: number;
  /** Those of them in a row that found nothing under way. */
  absences: number;
  /** When it was first looked for, on the monotonic clock. */
  lookedForSince: number | undefined;
  /** Its way through the gate of its step, while a request is under way. */
  pass: Pass | undefined;
}

export function newParcel(sendable: Sendable, at: Position): Parcel {
  const { attempts, inDoubt } = sendable;
  return { sendable, ...arrivedAt(at), attempt: attempts + 1, inDoubt, ticket: 0, pass: undefined };
}

/** What a parcel is when it comes to a step. */
export function arrivedAt(at: Position): Pick<Parcel, "at" | "tries" | "looks" | "absences" | "lookedForSince"> {
  return { at, tries: 0, looks: 0, absences: 0, lookedForSince: undefined };
}

/** Whether what is being done for it changes nothing that cannot be changed again. */
export function isHarmless({ at }: Pick<Parcel, "at">): boolean {
  return at.mode !== "send" || at.step.harmless;
}

/** What an answer makes of the record if it is not sent again. */
export interface Conclusion {
  readonly status: Settlement["status"];
  readonly problems?: readonly PlatformProblem[];
  readonly account?: string;
  readonly reason?: string;
  /** The step that is done with this. */
  readonly step?: string | undefined;
}

/** @param rehearsal nothing is to be created: what is taken is `valid` */
export function conclude(
  answer: Answer,
  parcel: Pick<Parcel, "sendable" | "inDoubt" | "at">,
  rehearsal = false,
): Conclusion {
  const { verdict, http } = answer;
  const { sendable, inDoubt } = parcel;
  if (verdict.kind === "accepted") return concludeAccepted(answer, verdict, rehearsal ? sendable : undefined);
  if (verdict.kind === "blocked") return { status: "blocked", problems: placeProblems(verdict.problems, sendable) };
  if (verdict.kind === "rejected") {
    return { status: "rejected", problems: placeProblems(verdict.problems, sendable), ...accountOf(verdict) };
  }
  if (verdict.kind === "retry" && verdict.problems !== undefined && !inDoubt) {
    return { status: "rejected", problems: placeProblems(verdict.problems, sendable), reason: verdict.reason };
  }
  if (verdict.kind === "unauthorised") return { status: "blocked", reason: "HTTP 401" };
  if (verdict.kind !== "stop") return { status: unsettled(answer, parcel), reason: verdict.reason };
  return { status: http === undefined ? "pending" : "blocked", reason: verdict.failure.message };
}

/** @param rehearsed what was only tried: `valid`, unless it is on the platform already */
function concludeAccepted(
  answer: Answer,
  verdict: Extract<Verdict, { readonly kind: "accepted" }>,
  rehearsed: Sendable | undefined,
): Conclusion {
  if (rehearsed === undefined || isThere(answer)) return { status: "accepted", ...accountOf(verdict) };
  return { status: "valid", problems: placeProblems(verdict.warnings ?? [], rehearsed) };
}

function accountOf(verdict: { readonly account?: string }): { readonly account?: string } {
  return verdict.account === undefined ? {} : { account: verdict.account };
}

/** What an answer makes of the record when it was to be sent again and the run stops. */
export function interrupted(answer: Answer, parcel: Pick<Parcel, "at">): Conclusion {
  const { verdict } = answer;
  const status = unsettled(answer, parcel);
  return "reason" in verdict ? { status, reason: verdict.reason } : { status };
}

/** What a closed import supplier did not take is still to be sent, when the run waits for it. */
export function waiting(conclusion: Conclusion): Conclusion {
  const { status, problems } = conclusion;
  return status === "blocked" && problems !== undefined
    ? { status: "pending", reason: problems[0]?.code ?? "" }
    : conclusion;
}

/** What got no answer may have been processed, unless to process it does no harm. */
function unsettled({ verdict }: Answer, parcel: Pick<Parcel, "at">): "ambiguous" | "pending" {
  return verdict.kind === "ambiguous" && !isHarmless(parcel) ? "ambiguous" : "pending";
}

/** What was never sent, held back or pushed back may be on the platform all the same, from an earlier request. */
export function withDoubt(conclusion: Conclusion, { inDoubt }: Pick<Parcel, "inDoubt">): Conclusion {
  const { status, reason } = conclusion;
  if (!inDoubt || (status !== "pending" && status !== "blocked")) return conclusion;
  const doubt = "an earlier request had no clear answer";
  return { ...conclusion, status: "ambiguous", reason: reason === undefined ? doubt : `${reason}; ${doubt}` };
}

export function intentFor(parcel: Parcel, clock: Clock): Intent {
  const { attempt, inDoubt, at } = parcel;
  const { record, identity, content } = parcel.sendable;
  const harmless = isHarmless(parcel) && !inDoubt;
  const { name } = at.step;
  return { record, identity, content, attempt, harmless, at: stamp(clock), ...(name !== undefined && { step: name }) };
}

export function settlementFor(
  { sendable, attempt }: Parcel,
  { status, problems = [], account, reason, step }: Conclusion,
  context: { readonly clock: Clock; readonly answer: Answer | undefined },
): Settlement {
  const { answer, clock } = context;
  return {
    record: sendable.record,
    identity: sendable.identity,
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
