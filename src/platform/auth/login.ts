import type { AuthSettings } from "../../options/target-options.ts";
import { type AttrPath, parseAttr } from "../../json/attr.ts";
import { isJsonArray, type JsonValue, memberAt, valueAt } from "../../json/json-value.ts";
import { Failure } from "../../model/failure.ts";
import type { MonotonicClock, WallClock } from "../../time/clock.ts";
import { joinPath } from "../../transport/base-url.ts";
import { type Http, type HttpReply, TransportError } from "../../transport/http.ts";
import { createCredentialMask, type CredentialMask } from "../../transport/masking-http.ts";
import { retryAfterMs } from "../../transport/retrying-http.ts";
import { UNREACHABLE_HINT, unreachableFailure } from "../reply/classify-error.ts";
import { cleanText, parseBody } from "../reply/reply-body.ts";
import { MAX_TOKEN_LENGTH, type ServiceToken, serviceTokenIn } from "./service-token.ts";

type Grant = { readonly apiKey: string } | { readonly refreshToken: string };

export type LoginResult = { readonly kind: "token"; readonly token: ServiceToken } | LoginFailure;

type LoginFailure =
  /** `reason`: status and code, safe to display. `hasToken`: the reply has a token, but in an unexpected form. */
  | { readonly kind: "refused"; readonly reason: string; readonly hasToken?: true }
  /** Too many logins. An early retry makes the wait longer. */
  | { readonly kind: "limited"; readonly reason: string }
  /** No token is available at the moment. `afterMs`: the delay that the platform requested. */
  | { readonly kind: "later"; readonly code: string; readonly afterMs?: number | undefined; readonly cause?: unknown }
  /**
   * The reply is truncated or not a GraphQL reply. `isFinal`: several replies in a row were unreadable, so another
   * attempt is pointless.
   */
  | { readonly kind: "unreadable"; readonly reason: string; readonly isFinal?: boolean };

/** Requests a token with a single request. A reply is never quoted, because it may contain secrets. */
export type Login = (grant: Grant) => Promise<LoginResult>;

export interface LoginOptions {
  readonly http: Http;
  readonly baseUrl: URL;
  /** The settings of the request for a token. */
  readonly auth?: AuthSettings;
  readonly clock: WallClock;
  /** Learns every credential that is sent or obtained, and masks these credentials in the reason for a rejection. */
  readonly mask?: CredentialMask | undefined;
}

export function createLogin(options: LoginOptions): Login {
  const { http, baseUrl, auth = {}, clock, mask = createCredentialMask() } = options;
  const url = joinPath(baseUrl, auth.graphqlPath ?? "/v1/graphql/");
  const { forKey, forRefresh, tokenAt } = tokenDocuments(auth);
  const headers = { "content-type": "application/json", accept: "application/json" };
  return async (grant) => {
    const query = "apiKey" in grant ? forKey : forRefresh;
    if (query === undefined) return { kind: "refused", reason: "no document for refresh tokens" };
    mask.learn("apiKey" in grant ? grant.apiKey : grant.refreshToken);
    try {
      const reply = await http({ method: "POST", url, headers, body: JSON.stringify({ query, variables: grant }) });
      return resultOf(reply, tokenAt, clock.now(), mask);
    } catch (error) {
      if (error instanceof TransportError) return { kind: "later", code: error.code, cause: error };
      throw error;
    }
  };
}

function resultOf(reply: HttpReply, tokenAt: AttrPath, now: number, mask: CredentialMask): LoginResult {
  const { status } = reply;
  if (status >= 500 || status === 408 || status === 429) {
    return { kind: "later", code: `HTTP_${status}`, afterMs: retryAfterMs(reply, now) };
  }
  const body = parseBody(reply);
  const token = serviceTokenIn(body, reply, tokenAt, now);
  if (token === undefined && (valueAt(body, ["data", ...tokenAt]) ?? null) !== null) {
    return {
      kind: "refused",
      reason: "its token is not text, or contains characters that a header cannot contain",
      hasToken: true,
    };
  }
  if (token === undefined) return unreadableReply(reply, body) ?? refusalIn(body, status, mask);
  if (token.token.length > MAX_TOKEN_LENGTH) {
    return { kind: "refused", reason: "its token is longer than 16 KiB", hasToken: true };
  }
  mask.learn(token.token);
  if (token.refreshToken !== undefined) mask.learn(token.refreshToken);
  return { kind: "token", token };
}

/**
 * Returns the failure for a reply that cannot be interpreted; undefined for any other reply. A complete reply with
 * status 300 or above is conclusive without a body; a 2xx reply is not.
 */
function unreadableReply(reply: HttpReply, body: JsonValue | undefined): LoginFailure | undefined {
  const { status, complete } = reply;
  if (!complete && body === undefined) return { kind: "unreadable", reason: `HTTP ${status}, truncated` };
  // A GraphQL reply has `data`, `errors`, or both (GraphQL, section 7.1).
  const isGraphql = ["data", "errors"].some((name) => memberAt(body, name) !== undefined);
  if (status >= 300 || isGraphql) return undefined;
  return { kind: "unreadable", reason: `HTTP ${status} without a GraphQL reply` };
}

/** The platform's code for too many requests. */
const TOO_MANY_REQUESTS = "KT-CT-1199";

/**
 * Reads a rejection. GraphQL servers send it with HTTP 200; the reason is in the body
 * (`errors[].extensions.errorCode`).
 */
function refusalIn(body: JsonValue | undefined, status: number, { mask }: CredentialMask): LoginFailure {
  const errors = valueAt(body, ["errors"]);
  const codes = (isJsonArray(errors) ? errors : []).map(codeOf);
  const code = codes.includes(TOO_MANY_REQUESTS) ? TOO_MANY_REQUESTS : codes.find((one) => one !== undefined);
  const reason = code === undefined ? `HTTP ${status}` : `HTTP ${status}, ${cleanText(mask(code), 40)}`;
  return { kind: code === TOO_MANY_REQUESTS ? "limited" : "refused", reason };
}

/** Returns the platform's own code, or the code of the underlying GraphQL server. */
function codeOf(error: JsonValue): string | undefined {
  const codes = [valueAt(error, ["extensions", "errorCode"]), valueAt(error, ["extensions", "code"])];
  return codes.find((code) => typeof code === "string");
}

/**
 * Returns the error for a missing token: a Failure if the run must end, otherwise a TransportError. The phase is
 * `unsent`, because the request that needs the token has not been sent yet.
 */
export function loginError(end: LoginFailure): Failure | TransportError {
  if (end.kind === "later") {
    const { code, cause } = end;
    const durationMs = cause instanceof TransportError ? cause.durationMs : 0;
    return new TransportError("unsent", `no token available: ${code}`, { code, durationMs, cause });
  }
  if (end.kind === "unreadable") {
    const { reason, isFinal = false } = end;
    if (!isFinal) return new TransportError("unsent", `no token available: ${reason}`, UNREADABLE);
    const what = `${MAX_UNREADABLE} consecutive replies to token requests could not be read (${reason})`;
    return new Failure("wrong_endpoint", what, {
      hint:
        "check the base URL and the token settings of the target's `auth`, and whether a proxy or a login page answers " +
        "instead of the platform, then run the same command again",
    });
  }
  if (end.kind === "limited") {
    return new Failure("authentication", `the platform accepts no more logins at the moment (${end.reason})`, {
      hint: "wait a few minutes before you run the same command again, because each attempt makes the wait longer",
    });
  }
  if (end.hasToken) {
    return new Failure("authentication", `the reply to a token request has an unexpected form: ${end.reason}`, {
      hint: "check the token settings of the target's `auth`, such as `outputPath`, then run the same command again",
    });
  }
  return new Failure("authentication", `the platform issued no token for the API key (${end.reason})`, {
    hint: "check MIGRATE_API_KEY (in a program: `credentials`) and the token settings of the target's `auth`, then run the same command again",
  });
}

const UNREADABLE = { code: "UNREADABLE_TOKEN_REPLY", durationMs: 0 } as const;

const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;
/**
 * Number of consecutive unreadable replies after which the server is assumed not to be the platform. A single reply may
 * be truncated.
 */
const MAX_UNREADABLE = 5;

/**
 * Spaces out logins after temporary errors, because the token endpoint is itself rate-limited. The first pause is one
 * second, and each further error doubles the pause, up to a minute. The pause is longer if the platform requests a
 * longer pause, and at least a minute after too many logins. Callers during a pause receive the same error without a
 * request.
 */
export function withLoginBackoff(login: Login, clock: MonotonicClock): Login {
  let pause: { readonly until: number; readonly end: LoginFailure } | undefined;
  let nextMs = FIRST_BACKOFF_MS;
  let unreadableInARow = 0;

  const begin = (end: LoginFailure, minMs: number): void => {
    pause = { until: clock.monotonic() + Math.max(nextMs, minMs), end };
    nextMs = Math.min(nextMs * 2, MAX_BACKOFF_MS);
  };

  return async (grant) => {
    if (pause !== undefined && clock.monotonic() < pause.until) return pause.end;
    const end = await login(grant);
    unreadableInARow = end.kind === "unreadable" ? unreadableInARow + 1 : 0;
    if (end.kind === "unreadable") {
      begin(end, 0);
      return { ...end, isFinal: unreadableInARow >= MAX_UNREADABLE };
    }
    if (end.kind === "later") begin(end, end.afterMs ?? 0);
    if (end.kind === "limited") begin(end, MAX_BACKOFF_MS);
    if (end.kind === "token") nextMs = FIRST_BACKOFF_MS;
    return end;
  };
}

/**
 * Obtains a token for the API key with one request.
 * @throws Failure `authentication` if the platform refuses to issue a token; `tls`, `config` (proxy), `usage` (unknown
 * host) or `platform_unreachable` if there is no usable reply
 */
export async function fetchToken(apiKey: string, options: LoginOptions): Promise<ServiceToken> {
  const end = await createLogin(options)({ apiKey });
  if (end.kind === "token") return end.token;
  const error = loginError(end);
  if (error instanceof Failure) throw error;
  const { origin } = options.baseUrl;
  if (error.cause instanceof TransportError) throw unreachableFailure(error.cause, origin);
  throw new Failure("platform_unreachable", `cannot get a token from ${origin}: ${error.code}`, {
    hint: UNREACHABLE_HINT,
    cause: error,
  });
}

interface TokenDocuments {
  readonly forKey: string;
  /** Undefined if tokens are renewed with the key. */
  readonly forRefresh: string | undefined;
  readonly tokenAt: AttrPath;
}

/**
 * Builds the GraphQL documents. The input is written inline, so that a document need not name the input's type. The
 * specification names the mutation, but neither that type nor the fields (5.2, 5.5). GraphQL rejects the whole document
 * if an instance lacks a field, so only the path to the token is selected by default.
 */
function tokenDocuments(auth: AuthSettings): TokenDocuments {
  const { mutation = "ObtainServiceToken", inputField = "APIKey", refreshField = "refreshToken" } = auth;
  const tokenAt = auth.outputPath === undefined ? [mutation, "token"] : parseAttr(auth.outputPath);
  const output = (auth.outputFields ?? [selection(tokenAt.slice(1))]).join(" ");
  const documentWith = (field: string, variable: string): string =>
    `mutation ${mutation}($${variable}: String!) { ${mutation}(input: { ${field}: $${variable} }) { ${output} } }`;
  const ownDocument = auth.document !== undefined;
  return {
    forKey: auth.document ?? documentWith(inputField, "apiKey"),
    forRefresh: auth.refreshDocument ?? (ownDocument ? undefined : documentWith(refreshField, "refreshToken")),
    tokenAt,
  };
}

/** Converts a path to a GraphQL selection: `access.jwt` becomes `access { jwt }`. */
function selection([field = "token", ...deeper]: AttrPath): string {
  return deeper.length === 0 ? String(field) : `${field} { ${selection(deeper)} }`;
}
