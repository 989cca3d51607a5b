import { Failure, type FailureCode } from "./failure.ts";
import type { Place } from "./place.ts";

/** A failure in a form that can be posted to another thread; structured cloning would drop its code. */
export interface ThreadFailure {
  readonly code: FailureCode;
  readonly message: string;
  readonly hint: string | undefined;
  readonly place: Place | undefined;
  readonly file: string | undefined;
}

/** @throws the error itself if it is not a Failure; such an error is a bug and ends the thread */
export function packFailure(error: unknown): ThreadFailure {
  if (!(error instanceof Failure)) throw error;
  const { code, message, hint, place, file } = error;
  return { code, message, hint, place, file };
}

export function unpackFailure({ code, message, ...more }: ThreadFailure): Failure {
  return new Failure(code, message, more);
}
