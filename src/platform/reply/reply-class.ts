import type { Failure } from "../../model/failure.ts";
import type { PlatformProblem } from "../../model/problem.ts";

/** The result of one request for its record. */
export type ReplyClass =
  /**
   * `exists`: the platform had the record before this request, perhaps with different content. `warnings`: fields that
   * the platform dropped, if this was checked.
   */
  | {
      readonly kind: "accepted";
      readonly account?: string;
      readonly exists?: true;
      readonly warnings?: readonly PlatformProblem[];
    }
  /**
   * `account`: set if the platform created an account and rejected single items of the payload. `isFinal`: the reply
   * also settles an earlier request for the record that had no clear answer (docs/contract.md, "Refusals of repeats").
   */
  | {
      readonly kind: "rejected";
      readonly problems: readonly PlatformProblem[];
      readonly account?: string;
      readonly isFinal?: boolean;
    }
  /** The record is valid, but the platform accepts none at the moment: the import supplier is Paused or Complete. */
  | { readonly kind: "blocked"; readonly problems: readonly PlatformProblem[] }
  /** Certainly not processed. */
  | { readonly kind: "retry"; readonly reason: string; readonly afterMs?: number }
  /** Answer to a status query: the platform is still processing the record. */
  | { readonly kind: "waiting"; readonly reason: string }
  /** Answer to a status query: the platform does not know the record. */
  | { readonly kind: "absent"; readonly reason: string }
  /** No byte was sent. */
  | { readonly kind: "unsent"; readonly reason: string; readonly code: string }
  /** No byte was sent, because the run sends nothing more for this record. */
  | { readonly kind: "cancelled"; readonly reason: string }
  /** May have been processed. `notFromApi`: the server does not appear to be the platform's API. */
  | { readonly kind: "ambiguous"; readonly reason: string; readonly notFromApi: boolean }
  /** Neither the token nor a new one was accepted. Not processed. */
  | { readonly kind: "unauthorised" }
  /** Further requests are pointless. Not processed. */
  | { readonly kind: "stop"; readonly failure: Failure };

/** The meaning of one reply, and whether the platform asks for a slower rate. */
export interface Classification {
  readonly replyClass: ReplyClass;
  readonly pushBack?: PushBack;
}

export interface PushBack {
  /** For display: "429", "timeout". */
  readonly reason: string;
  /** From `Retry-After`: no worker sends anything during this time. */
  readonly afterMs?: number;
}
