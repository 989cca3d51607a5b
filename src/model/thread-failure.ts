import { Failure, type FailureCode } from "./failure.ts";
import type { Place } from "./place.ts";

/** A failure on its way to another thread, which would take it for an error without a code. */
export interface ThreadFailure {
  readonly code: FailureCode;
  readonly message: string;
  readonly hint: string | undefined;
  readonly place: Place | undefined;
  readonly file: string | undefined;
}

/** @throws the error itself where it is no failure: a bug, which ends the thread */
export function packFailure(error: unknown): ThreadFailure {
  if (!(error instanceof Failure)) throw error;
  const { code, message, hint, place, file } = error;
  return { code, message, hint, place, file };
}

export function unpackFailure({ code, message, ...more }: ThreadFailure): Failure {
  return new Failure(code, message, more);
}
