import type { Failure } from "./failure.ts";
import { formatPlace } from "./place.ts";

/** An error as shown to the user. */
export interface ErrorDetails {
  /** The code of a `Failure`, or another code, such as `bug`. */
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  /** The place in a file, such as `migrate.yaml:3:5`. */
  readonly place?: string;
}

/** Returns the details of a failure. Omits the place if the message begins with its file. */
export function failureDetails({ code, message, hint, place }: Failure): ErrorDetails {
  return {
    code,
    message,
    ...(hint !== undefined && { hint }),
    ...(place !== undefined && !message.startsWith(`${place.file}:`) && { place: formatPlace(place) }),
  };
}
