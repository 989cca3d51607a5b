import type { InputPosition } from "../../model/record.ts";
import type { Status } from "../../model/outcome.ts";
import type { Problem } from "../../model/problem.ts";

/**
 * The content that the platform may have for a record, compared with the content to send. `none`: the platform cannot
 * have processed an earlier request. `same`: a request with this content was accepted or had no clear reply, and the
 * platform cannot have other content. `other`: the platform may have any content. `accepted`: the platform has accepted
 * an earlier version, and cannot have any content except that version and the content to send.
 */
export type PriorContent = "none" | "same" | "other" | "accepted";

export interface RequestFacts {
  readonly identity: Uint8Array;
  readonly content: Uint8Array;
  readonly attempt: number;
  /**
   * Whether the request may be repeated safely. If so, an interruption leaves the record `pending`, not `ambiguous`.
   */
  readonly idempotent?: boolean | undefined;
  /** Whether the request only polls a status. A poll sends no content, so the record keeps its last sent content. */
  readonly isPoll?: boolean | undefined;
}

/** A request that is about to be sent, for the journal. */
export interface SentRequest extends RequestFacts {
  /** Hash of the source row. The plan in the ledger already contains it. */
  readonly rowHash?: number | undefined;
}

export interface Intent extends SentRequest {
  readonly record: number;
  /** The step of the attempt, if the operation has several steps. */
  readonly step?: string;
  readonly at: string;
}

/**
 * A record that the platform has in part. `mayRepeat`: a repeated request creates nothing. Otherwise, a push sends the
 * record again only with `revise`.
 */
export interface PartialRecord {
  readonly mayRepeat: boolean;
}

/** The reason of an attempt that completed a step. */
export const STEP_COMPLETED = "done";

export interface AttemptOutcome {
  readonly record: number;
  readonly identity: Uint8Array;
  readonly attempt: number;
  /**
   * `pending`: the record may be sent again, starting after the last completed step. `valid`: the record was only
   * validated, and the platform would accept it. `existing`: the platform already had the record, perhaps with
   * different content.
   */
  readonly status: "valid" | "accepted" | "rejected" | "existing" | "ambiguous" | "blocked" | "pending";
  readonly problems: readonly Problem[];
  readonly http?: number;
  readonly account?: string;
  /**
   * Whether the platform created the account for this record. If another record of the endpoint has the account, the
   * status is saved as `ambiguous`.
   */
  readonly isNewAccount?: boolean;
  readonly durationMs?: number;
  /** A short reason for `explain`: "timeout waiting for headers". */
  readonly reason?: string;
  /** The step that this outcome completes. */
  readonly step?: string;
  /** Whether the platform had already completed the step, perhaps with different content. */
  readonly mayHoldOther?: boolean;
  /** Set if the platform has the rejected record, because it has rejected only items of the record. */
  readonly partial?: PartialRecord;
  readonly at: string;
}

/**
 * The status of a record whose final status must be looked up on the platform or decided by a person. `lost`: the
 * platform accepted the record, but the last comparison did not find it there.
 */
export type UndecidedStatus = Extract<Status, "ambiguous" | "existing"> | "lost";

/** A record with unknown delivery status, or a record that was already on the platform. */
export interface AmbiguousItem {
  readonly record: number;
  readonly key: string;
  readonly identity: Uint8Array;
  /** False if the content that was sent differs from the record's content in this run. */
  readonly isAsSent: boolean;
  /**
   * If not `isAsSent`: the run that sent the last request, if the record can still be settled in that run. Only
   * `undecidedByKey` returns it.
   */
  readonly sentBy?: string;
  /** Whether the content on the platform may differ from the content of the last request. */
  readonly mayHoldOther: boolean;
  /** Number of decisions to send the record again after it became ambiguous. */
  readonly resends: number;
  /** The last step that the platform completed for the sent content. */
  readonly step?: string;
  /** The account number in an earlier reply about the record. */
  readonly account?: string;
  /** When the accepted record was last compared with the platform, ISO 8601 UTC. */
  readonly comparedAt?: string;
  /** Number of attempts in the ledger, across all runs. 0 if only an uncertain recovery made the record ambiguous. */
  readonly attempts: number;
}

/** A record whose new account belongs to another record of the endpoint. */
export interface SharedAccount {
  readonly record: number;
  readonly holder: { readonly record: number; readonly run: string };
}

interface DecisionFacts {
  readonly record: number;
  /**
   * `accepted`: the record arrived. `rejected`: the platform has a record with this key and different values. `resend`:
   * the record did not arrive and may be sent again.
   */
  readonly decision: "accepted" | "rejected" | "resend";
  readonly by: "read-back" | "operator";
  /** Account name of the user who ran the command. */
  readonly who: string;
  readonly reason: string;
  readonly account?: string;
  readonly at: string;
}

export interface Decision extends DecisionFacts {
  readonly identity: Uint8Array;
  /**
   * Whether the platform created the account for this record. If true, the decision is not applied if
   * another record of the endpoint has the account.
   */
  readonly isNewAccount?: boolean;
  readonly problems?: readonly Problem[];
}

export interface RecordedDecision extends DecisionFacts {
  readonly run: string;
  readonly identity: Uint8Array;
}

export interface RecordedAttempt {
  readonly run: string;
  readonly identity: Uint8Array;
  readonly attempt: number;
  readonly record: number;
  /** The step of the attempt, if the operation has several steps. */
  readonly step?: string;
  readonly intendedAt: string;
  readonly settledAt?: string;
  readonly status: AttemptOutcome["status"] | "sending";
  readonly http?: number;
  readonly account?: string;
  readonly durationMs?: number;
  readonly reason?: string;
}

export interface Attempt extends RecordedAttempt {
  readonly problems: readonly Problem[];
}

export interface NextSendable {
  readonly record: number;
  /** The last recorded position at or before the record. */
  readonly position?: InputPosition;
}

export interface SendableItem {
  readonly record: number;
  readonly identity: Uint8Array;
  readonly content: Uint8Array;
  /** Number of attempts so far, in all runs. The next attempt has the next number. */
  readonly attempts: number;
  /** Whether the platform may have processed one of the attempts. */
  readonly isAmbiguous: boolean;
  readonly prior: PriorContent;
  /** Whether the platform is known to have the record, in full or in part, perhaps with other content. */
  readonly isOnPlatform?: boolean;
  /** Account number that the platform assigned to an earlier version of the record. */
  readonly account?: string | undefined;
  /** The last completed step for this content; absent before the first step, and after a refusal. */
  readonly step?: string;
  /** Hash of the source row, if the plan contains it. */
  readonly rowHash?: number | undefined;
}
