import { valueAt } from "../../json/json-value.ts";
import { Failure } from "../../model/failure.ts";
import type { HttpReply } from "../../transport/http.ts";
import { cleanText, parseBody } from "./reply-body.ts";

const NOT_AUTHENTICATED: ReadonlySet<unknown> = new Set(["not_authenticated", "authentication_failed"]);

/** Whether the code is for missing or wrong credentials (Django REST framework). Some instances send it with 403. */
export function isNotAuthenticated(code: unknown): boolean {
  return NOT_AUTHENTICATED.has(code);
}

/** Whether the reply has status 401, or a 403 with the same meaning. */
export function isUnauthorised(reply: HttpReply): boolean {
  const { status } = reply;
  return status === 401 || (status === 403 && isNotAuthenticated(valueAt(parseBody(reply), ["code"])));
}

interface FailedRequest {
  /** Description of the request without personal data. */
  readonly what: string;
  /** The permission that the credentials need: `import`. */
  readonly permission: string;
  /** Whether a redirect's path may be shown; false if it may name an account. */
  readonly showsPath: boolean;
}

/** The failure for a redirect or a 403, which make further requests pointless; undefined for any other status. */
export function statusFailure(reply: HttpReply, request: FailedRequest): Failure | undefined {
  const { status } = reply;
  if (status >= 300 && status < 400) {
    return new Failure(
      "redirect",
      `the platform redirects to ${redirectTarget(reply, request)} (HTTP ${status}): refused`,
      {
        hint: "check the base URL and the path's trailing slash; redirects are never followed",
      },
    );
  }
  if (status !== 403) return undefined;
  return new Failure("platform_refused", `the platform denies these credentials access to ${request.what} (HTTP 403)`, {
    hint: `ask the platform's operator for the permission to ${request.permission}, then run the same command again`,
  });
}

/** Omits the query, which may contain secrets. */
function redirectTarget({ headers }: HttpReply, { showsPath }: FailedRequest): string {
  const location = headers["location"];
  if (showsPath) return cleanText(location ?? "nowhere", 200).replace(/\?.*$/, "");
  return location !== undefined && URL.canParse(location) ? new URL(location).origin : "another address";
}
