import type { ErrorDetails } from "../model/failure.ts";

/** The body of every reply that reports an error. */
export interface ErrorReply {
  readonly error: ErrorDetails;
}
