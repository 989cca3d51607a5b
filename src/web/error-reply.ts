import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { type ErrorDetails, Failure, failureDetails } from "../model/failure.ts";
import { definedMembers } from "../json/defined-members.ts";
import { limitFailure } from "../runtime/system-limits.ts";
import type { ErrorReply } from "./error-data.ts";

/** An error that refuses a request before the request has any effect. */
export class RefusedRequest extends Error {
  readonly status: ContentfulStatusCode;
  readonly details: ErrorDetails;

  constructor(status: ContentfulStatusCode, code: string, message: string, hint?: string) {
    super(message);
    this.name = "RefusedRequest";
    this.status = status;
    this.details = { code, message, ...definedMembers({ hint }) };
  }
}

/** Returns the reply to a failed request. Passes only unexpected errors to `logBug`. */
export function errorReply(error: unknown, context: Context, logBug: (error: unknown) => void): Response {
  const failure = limitFailure(error) ?? error;
  const reply: ErrorReply = { error: errorDetails(failure, logBug) };
  return context.json(reply, statusOf(failure));
}

function statusOf(error: unknown): ContentfulStatusCode {
  if (error instanceof RefusedRequest) return error.status;
  if (error instanceof Failure) return error.code === "ledger_in_use" ? 409 : 422;
  return 500;
}

/** Returns the details of an error. Passes only unexpected errors to `logBug`. */
export function errorDetails(error: unknown, logBug: (error: unknown) => void): ErrorDetails {
  if (error instanceof RefusedRequest) return error.details;
  if (error instanceof Failure) return failureDetails(error);
  logBug(error);
  return {
    code: "bug",
    message: "This is a bug in migrate",
    hint: "The terminal that runs `migrate web` shows the details.",
  };
}
