import { valueAt } from "../../json/json-value.ts";
import { Failure } from "../../model/failure.ts";
import type { PlatformProblem } from "../../model/problem.ts";
import type { HttpReply } from "../../transport/http.ts";
import { cleanText, parseBody } from "./reply-body.ts";

/** The result of one request for its record. */
export type ReplyClass =
  /**
   * `exists`: the platform had the record before this request, perhaps with different content. `hadItems`: the platform
   * had every item of the payload before this request, so it has added nothing. `warnings`: fields that the platform
   * dropped, if this was checked.
   */
  | {
      readonly kind: "accepted";
      readonly account?: string;
      readonly exists?: true;
      readonly hadItems?: true;
      readonly warnings?: readonly PlatformProblem[];
    }
  /**
   * `isPartial`: the platform has processed the request, and has rejected only items of the payload. `account`: the
   * account that it has created in that case. `isFinal`: the reply also settles an earlier request for the record, if
   * that request got no clear reply (docs/contract.md, "Refused repeats").
   */
  | {
      readonly kind: "rejected";
      readonly problems: readonly PlatformProblem[];
      readonly account?: string;
      readonly isPartial?: true;
      readonly isFinal?: boolean;
    }
  /** The record is valid, but the platform accepts no records now: the import supplier is Paused or Complete. */
  | { readonly kind: "blocked"; readonly problems: readonly PlatformProblem[] }
  /** Certainly not processed. */
  | { readonly kind: "retry"; readonly reason: string; readonly afterMs?: number }
  /** Answer to a status query: the platform is still processing the record. */
  | { readonly kind: "waiting"; readonly reason: string; readonly account?: string }
  /** Answer to a status query: the platform does not know the record. */
  | { readonly kind: "absent"; readonly reason: string }
  /** No byte was sent. */
  | { readonly kind: "unsent"; readonly reason: string; readonly code: string }
  /** No byte was sent, because the run sends nothing more for this record. */
  | { readonly kind: "cancelled"; readonly reason: string }
  /** May have been processed. `notFromApi`: the server does not appear to be the platform's API. */
  | { readonly kind: "ambiguous"; readonly reason: string; readonly notFromApi: boolean }
  /** The platform rejected the token. Not processed. */
  | { readonly kind: "unauthorised" }
  /** Further requests are pointless. Not processed. */
  | { readonly kind: "stop"; readonly failure: Failure };

export function ambiguous(reason: string, notFromApi = false): ReplyClass {
  return { kind: "ambiguous", reason, notFromApi };
}

/** The class of one request. `pushBack`: set if the platform asks for a slower rate or did not reply in time. */
export interface Classification {
  readonly replyClass: ReplyClass;
  readonly pushBack?: PushBack;
}

export interface PushBack {
  /** For display: `HTTP 429`, `timeout`. */
  readonly reason: string;
  /** From `Retry-After`: no worker sends anything during this time. */
  readonly afterMs?: number;
}

const NOT_AUTHENTICATED: ReadonlySet<unknown> = new Set(["not_authenticated", "authentication_failed"]);

/** Whether the code means missing or wrong credentials (Django REST framework). Some instances send it with 403. */
export function isNotAuthenticated(code: unknown): boolean {
  return NOT_AUTHENTICATED.has(code);
}

/** Whether the reply has status 401, or a 403 with the same meaning. */
export function isUnauthorised(reply: HttpReply): boolean {
  const { status } = reply;
  return status === 401 || (status === 403 && isNotAuthenticated(valueAt(parseBody(reply), ["code"])));
}

interface FailedRequest {
  /** A description of the request that contains no personal data. */
  readonly what: string;
  /** Completes "permission to ..." in the hint: `import`, `read it`. */
  readonly permission: string;
  /** Whether a redirect's path may be shown; false if it may name an account. */
  readonly showsPath: boolean;
}

/**
 * Returns the failure for a redirect, a 403 or a 431, which make further requests pointless, or undefined for any other
 * status.
 */
export function statusFailure(reply: HttpReply, request: FailedRequest): Failure | undefined {
  const { status } = reply;
  if (status >= 300 && status < 400) {
    return new Failure(
      "redirect",
      `the platform redirects to ${redirectTarget(reply, request)} (HTTP ${status}), which is not allowed`,
      { hint: "check the base URL and the path's trailing slash; redirects are never followed" },
    );
  }
  if (status === 431) {
    return new Failure(
      "platform_refused",
      `the headers of the request for ${request.what} are too large for the platform or a proxy (HTTP 431)`,
      { hint: "use a shorter token or key, and shorten the parameters that are sent in headers" },
    );
  }
  if (status !== 403) return undefined;
  return new Failure("platform_refused", `the platform denies these credentials access to ${request.what} (HTTP 403)`, {
    hint: `ask the platform's operator for permission to ${request.permission}, then run the same command again`,
  });
}

/** Omits the query, which may contain secrets. */
function redirectTarget({ headers }: HttpReply, { showsPath }: FailedRequest): string {
  const location = headers["location"];
  if (showsPath) return cleanText(location ?? "nowhere", 200).replace(/\?.*$/, "");
  return location !== undefined && URL.canParse(location) ? new URL(location).origin : "another address";
}
