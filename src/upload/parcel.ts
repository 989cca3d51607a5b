import type { Clock } from "../model/clock.ts";
import type { PlatformProblem } from "../model/problem.ts";
import type { Intent, Settlement } from "../ledger/ledger.ts";
import type { Answer } from "../platform/import-client.ts";
import { placeProblems } from "./platform-places.ts";
import type { Ticket } from "./pace.ts";
import type { Sendable } from "./sendable.ts";

/** A record on its way. */
export interface Parcel {
  readonly sendable: Sendable;
  /** The attempt that its latest intent is for. */
  attempt: number;
  /** Requests made in this run. */
  tries: number;
  /** A request had no clear answer, in this run or before: only a clear one can say now what became of the record. */
  inDoubt: boolean;
  ticket: Ticket;
}

/** What an answer makes of the record if it is not sent again. */
export interface Conclusion {
  readonly status: Settlement["status"];
  readonly problems?: readonly PlatformProblem[];
  readonly account?: string;
  readonly reason?: string;
}

export function conclude(
  { verdict, http }: Answer,
  { sendable, inDoubt }: Pick<Parcel, "sendable" | "inDoubt">,
): Conclusion {
  if (verdict.kind === "accepted") return { status: "accepted", ...accountOf(verdict) };
  if (verdict.kind === "rejected" || verdict.kind === "blocked") {
    const account = verdict.kind === "rejected" ? accountOf(verdict) : {};
    return { status: verdict.kind, problems: placeProblems(verdict.problems, sendable), ...account };
  }
  if (verdict.kind === "retry" && verdict.problems !== undefined && !inDoubt) {
    return { status: "rejected", problems: placeProblems(verdict.problems, sendable), reason: verdict.reason };
  }
  if (verdict.kind === "unauthorised") return { status: "blocked", reason: "HTTP 401" };
  if (verdict.kind !== "stop") {
    return { status: verdict.kind === "ambiguous" ? "ambiguous" : "pending", reason: verdict.reason };
  }
  return { status: http === undefined ? "pending" : "blocked", reason: verdict.failure.message };
}

function accountOf(verdict: { readonly account?: string }): { readonly account?: string } {
  return verdict.account === undefined ? {} : { account: verdict.account };
}

/** What an answer makes of the record when it was to be sent again and the run stops. */
export function interrupted({ verdict }: Answer): Conclusion {
  const status = verdict.kind === "ambiguous" ? "ambiguous" : "pending";
  return "reason" in verdict ? { status, reason: verdict.reason } : { status };
}

/** What a closed import supplier did not take is still to be sent, when the run waits for it. */
export function waiting(conclusion: Conclusion): Conclusion {
  const { status, problems } = conclusion;
  return status === "blocked" && problems !== undefined
    ? { status: "pending", reason: problems[0]?.code ?? "" }
    : conclusion;
}

/** What was never sent, held back or pushed back may be on the platform all the same, from an earlier request. */
export function withDoubt(conclusion: Conclusion, { inDoubt }: Pick<Parcel, "inDoubt">): Conclusion {
  const { status, reason } = conclusion;
  if (!inDoubt || (status !== "pending" && status !== "blocked")) return conclusion;
  const doubt = "an earlier request had no clear answer";
  return { ...conclusion, status: "ambiguous", reason: reason === undefined ? doubt : `${reason}; ${doubt}` };
}

export function intentFor({ sendable, attempt }: Pick<Parcel, "sendable" | "attempt">, clock: Clock): Intent {
  const { record, identity, content } = sendable;
  return { record, identity, content, attempt, at: stamp(clock) };
}

export function settlementFor(
  { sendable, attempt }: Parcel,
  { status, problems = [], account, reason }: Conclusion,
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
    at: stamp(clock),
  };
}

function stamp(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}
