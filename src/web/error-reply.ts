import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { Failure } from "../model/failure.ts";
import { formatPlace } from "../model/place.ts";
import { limitFailure } from "../runtime/system-limits.ts";
import type { ErrorDetails, ErrorReply } from "./error-data.ts";

/** An error that refuses a request before the request has any effect. */
export class RefusedRequest extends Error {
  readonly status: ContentfulStatusCode;
  readonly code: string;
  readonly hint: string | undefined;

  constructor(status: ContentfulStatusCode, code: string, message: string, hint?: string) {
    super(message);
    this.name = "RefusedRequest";
    this.status = status;
    this.code = code;
    this.hint = hint;
  }
}

/** Returns the reply to a failed request. Passes only unexpected errors to `logBug`. */
export function errorReply(error: unknown, context: Context, logBug: (error: unknown) => void): Response {
  const failure = limitFailure(error) ?? error;
  if (failure instanceof RefusedRequest) return context.json(replyOf(failure), failure.status);
  if (failure instanceof Failure) {
    return context.json(detailsReply(failureDetails(failure)), failure.code === "ledger_in_use" ? 409 : 422);
  }
  logBug(error);
  return context.json(detailsReply(bugDetails()), 500);
}

export function bugDetails(): ErrorDetails {
  return {
    code: "bug",
    message: "This is a bug in migrate",
    hint: "The terminal that runs `migrate web` shows the details.",
  };
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

function replyOf({ code, message, hint }: RefusedRequest): ErrorReply {
  return detailsReply({ code, message, ...(hint !== undefined && { hint }) });
}

function detailsReply(error: ErrorDetails): ErrorReply {
  return { error };
}
