import type { Clock } from "../model/clock.ts";
import { Failure } from "../model/failure.ts";
import { isJsonArray } from "../model/json.ts";
import { joinPath } from "../transport/base-url.ts";
import { type Http, type HttpReply, TransportError } from "../transport/http.ts";
import { cleanText, parseBody, valueAt } from "./reply-body.ts";
import { retryAfterMs } from "./retry-after.ts";
import { type ServiceToken, serviceTokenIn } from "./service-token.ts";
import { type TokenMutation, tokenDocuments } from "./token-document.ts";

/** What a token is asked for with. */
type Grant = { readonly apiKey: string } | { readonly refreshToken: string };

export type LoginEnd = { readonly kind: "token"; readonly token: ServiceToken } | NoToken;

export type NoToken =
  /** `said`: status and code, fit to be shown. */
  | { readonly kind: "refused"; readonly said: string }
  /** Too many logins. To ask again soon makes it worse. */
  | { readonly kind: "limited"; readonly said: string }
  /** Nobody can say for now. `afterMs`: the platform's own wish. */
  | { readonly kind: "later"; readonly code: string; readonly afterMs?: number | undefined; readonly cause?: unknown };

/** Asks for one token with one request. A reply is never quoted, it may hold secrets. */
export type Login = (grant: Grant) => Promise<LoginEnd>;

export interface LoginOptions {
  readonly http: Http;
  readonly baseUrl: URL;
  readonly mutation?: TokenMutation;
  readonly clock: Pick<Clock, "now">;
}

export function createLogin({ http, baseUrl, mutation = {}, clock }: LoginOptions): Login {
  const url = joinPath(baseUrl, mutation.path ?? "/v1/graphql/");
  const { forKey, forRefresh, tokenAt } = tokenDocuments(mutation);
  const headers = { "content-type": "application/json", accept: "application/json" };
  return async (grant) => {
    const query = "apiKey" in grant ? forKey : forRefresh;
    if (query === undefined) return { kind: "refused", said: "no document for refresh tokens" };
    try {
      const reply = await http({ method: "POST", url, headers, body: JSON.stringify({ query, variables: grant }) });
      return endOf(reply, { tokenAt, now: clock.now() });
    } catch (error) {
      if (error instanceof TransportError) return { kind: "later", code: error.code, cause: error };
      throw error;
    }
  };
}

interface Reading {
  readonly tokenAt: ReturnType<typeof tokenDocuments>["tokenAt"];
  readonly now: number;
}

function endOf(reply: HttpReply, { tokenAt, now }: Reading): LoginEnd {
  const { status } = reply;
  if (status >= 500 || status === 408 || status === 429) {
    return { kind: "later", code: `HTTP_${status}`, afterMs: retryAfterMs(reply, now) };
  }
  const body = parseBody(reply);
  const token = serviceTokenIn(body, reply, { tokenAt, now });
  return token === undefined ? refusalIn(body, status) : { kind: "token", token };
}

/** The platform's code for too many requests. */
const TOO_MANY_REQUESTS = "KT-CT-1199";

/** GraphQL refuses with HTTP 200; why stands in the body (`errors[].extensions.errorCode`). */
function refusalIn(body: unknown, status: number): NoToken {
  const errors = valueAt(body, ["errors"]);
  const codes = (isJsonArray(errors) ? errors : []).map(codeOf);
  const code = codes.includes(TOO_MANY_REQUESTS) ? TOO_MANY_REQUESTS : codes.find((one) => one !== undefined);
  const said = code === undefined ? `HTTP ${status}` : `HTTP ${status}, ${cleanText(code, 40)}`;
  return { kind: code === TOO_MANY_REQUESTS ? "limited" : "refused", said };
}

/** The platform's own codes, or those of the GraphQL server below it. */
function codeOf(error: unknown): string | undefined {
  const codes = [valueAt(error, ["extensions", "errorCode"]), valueAt(error, ["extensions", "code"])];
  return codes.find((code) => typeof code === "string");
}

/**
 * Why there is no token: a Failure, for good; or a TransportError for now, whose phase is `unsent`, because nothing
 * has left yet of the request that wanted the token.
 */
export function noTokenError(end: NoToken): Failure | TransportError {
  if (end.kind === "later") {
    const { code, cause } = end;
    return new TransportError("unsent", `no token for now: ${code}`, { code, durationMs: 0, cause });
  }
  if (end.kind === "limited") {
    return new Failure("authentication", `the platform takes no more logins for now (${end.said})`, {
      hint: "wait some minutes before you run the same command again: each try makes it longer",
    });
  }
  return new Failure("authentication", `the platform gave no token for the API key (${end.said})`, {
    hint: "check MIGRATE_API_KEY and the token settings of the target's `auth`, then run the same command again",
  });
}
