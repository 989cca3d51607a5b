import type { Failure } from "../../model/failure.ts";
import type { PlatformProblem } from "../../model/problem.ts";

/** What one request means for its record. */
export type ReplyClass =
  /** `warnings`: what the platform did not take of it, where it was asked for that. */
  | { readonly kind: "accepted"; readonly account?: string; readonly warnings?: readonly PlatformProblem[] }
  /**
   * `account`: the platform has one all the same, and refused single items of what was sent. `isFinal`: it also settles an
   * earlier request for the record that had no clear answer (docs/contract.md, "Refusals of repeats").
   */
  | {
      readonly kind: "rejected";
      readonly problems: readonly PlatformProblem[];
      readonly account?: string;
      readonly isFinal?: boolean;
    }
  /** The record is good, and the platform takes none for now: the import supplier is Paused or Complete. */
  | { readonly kind: "blocked"; readonly problems: readonly PlatformProblem[] }
  /** Certainly not processed. */
  | { readonly kind: "retry"; readonly reason: string; readonly afterMs?: number }
  /** Asked what became of a record: the platform is not through with it. */
  | { readonly kind: "waiting"; readonly reason: string }
  /** Asked the same: the platform knows of nothing. */
  | { readonly kind: "absent"; readonly reason: string }
  /** Not one byte has left. */
  | { readonly kind: "unsent"; readonly reason: string; readonly code: string }
  /** Not one byte has left, because the run sends nothing more for this record. */
  | { readonly kind: "cancelled"; readonly reason: string }
  /** May have been processed. `notFromApi`: whatever answered does not seem to be the platform's API. */
  | { readonly kind: "ambiguous"; readonly reason: string; readonly notFromApi: boolean }
  /** The token is not accepted, and a new one was not either. Not processed. */
  | { readonly kind: "unauthorised" }
  /** No further request makes sense. Not processed. */
  | { readonly kind: "stop"; readonly failure: Failure };

/** What one reply means, and whether the platform wants us to slow down. */
export interface Classification {
  readonly replyClass: ReplyClass;
  readonly pushBack?: PushBack;
}

export interface PushBack {
  /** For the user: "429", "timeout". */
  readonly reason: string;
  /** From `Retry-After`: nobody sends anything for so long. */
  readonly afterMs?: number;
}
