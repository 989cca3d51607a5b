import type { MonotonicClock, WallClock } from "../../time/clock.ts";
import { Failure } from "../../model/failure.ts";
import type { Authorisation } from "./authorisation.ts";
import { createLogin, type Login, loginError, type LoginOptions, type LoginResult, withLoginBackoff } from "./login.ts";
import { expiryIn, type ServiceToken, tokenClaims } from "./service-token.ts";

export type Credentials =
  | { readonly kind: "token"; readonly token: string }
  /** Exchanged for a token (specification 5.2). */
  | { readonly kind: "api-key"; readonly apiKey: string }
  /** Sent as the user name with an empty password; no token is used (specification 5.4). */
  | { readonly kind: "basic"; readonly apiKey: string };

export interface AuthorisationOptions extends LoginOptions {
  readonly credentials: Credentials;
  /**
   * Prefix of the token in the header, default `Token ` (specification 5.3); other platforms use `Bearer `, `JWT ` or
   * no prefix.
   */
  readonly prefix?: string;
  readonly clock: WallClock & MonotonicClock;
}

/**
 * @throws Failure `config` for an API key that basic authentication cannot encode, `authentication` for a token that a
 * header cannot contain
 */
export function createAuthorisation(options: AuthorisationOptions): Authorisation {
  const { credentials, clock, prefix = "Token " } = options;
  options.mask?.learn(credentials.kind === "token" ? credentials.token : credentials.apiKey);
  if (credentials.kind === "token") {
    const { token } = credentials;
    const expiresAt = expiryIn(tokenClaims(token));
    return fixedHeader(`${prefix}${headerText(token)}`, () => tokenRefused(expiresAt, clock.now()));
  }
  const { kind, apiKey } = credentials;
  if (kind === "basic") return fixedHeader(basicHeader(apiKey), () => refused("API key", "MIGRATE_API_KEY"));
  return renewingAuthorisation({ login: withLoginBackoff(createLogin(options), clock), apiKey, prefix, clock });
}

function fixedHeader(header: string, failure: () => Failure): Authorisation {
  return {
    header: () => Promise.resolve(header),
    accepted: () => undefined,
    mayHaveExpired: () => false,
    refused: () => Promise.reject(failure()),
  };
}

function refused(what: string, variable: string): Failure {
  return new Failure("authentication", `the platform does not accept the ${what} (HTTP 401)`, {
    hint: `set ${variable} (in a program: \`credentials\`) to a valid ${what}, check the authentication scheme (\`--auth\`), then run the same command again`,
  });
}

/**
 * @param expiresAt the expiry that the token itself states, in seconds since 1970
 * @param now milliseconds since 1970
 */
function tokenRefused(expiresAt: number | undefined, now: number): Failure {
  if (expiresAt === undefined || expiresAt * 1000 > now) return refused("token", "MIGRATE_TOKEN");
  const time = new Date(expiresAt * 1000).toISOString().replace(/\.\d+/, "");
  return new Failure("authentication", `the token expired at ${time}, and the platform does not accept it (HTTP 401)`, {
    hint: "set MIGRATE_TOKEN (in a program: `credentials`) to a new token, or unset it and set MIGRATE_API_KEY, so that tokens are renewed automatically; then run the same command again",
  });
}

/** RFC 7617: the user name ends at the first colon. */
function basicHeader(apiKey: string): string {
  if (apiKey.includes(":")) {
    throw new Failure("config", "the API key contains a colon, which basic authentication does not allow", {
      hint: "use `--auth token`",
    });
  }
  return `Basic ${Buffer.from(`${apiKey}:`).toString("base64")}`;
}

function headerText(token: string): string {
  if (/^[\x20-\x7e]+$/.test(token)) return token;
  throw new Failure("authentication", "the token contains characters that a header cannot contain", {
    hint: "check the token in MIGRATE_TOKEN (in a program: `credentials`), or in the file named in `auth`: one line, ASCII only",
  });
}

interface RenewalOptions {
  readonly login: Login;
  readonly apiKey: string;
  /** Prefix of the token in the `Authorization` header. */
  readonly prefix: string;
  readonly clock: MonotonicClock;
}

/** A token of the run. A run uses one token at a time. Timestamps are milliseconds on the monotonic clock. */
interface HeldToken {
  readonly header: string;
  /** The time at which the next token is requested (only once), while this token is still in use. */
  renewAt: number;
  /** The time at which the token stops being used. */
  readonly endsAt: number;
  refresh: { readonly token: string; readonly until: number } | undefined;
  /** Whether the platform has accepted the token at least once. */
  confirmed: boolean;
  /** Whether the platform has rejected the token. */
  refused: boolean;
  /** Whether the platform rejected the predecessor of the token. */
  readonly afterRefusal: boolean;
}

/**
 * Creates an `Authorisation` with one token for all workers. The token is obtained on first use, and concurrent callers
 * share one request. The token is renewed shortly before it expires, and the old token stays in use during the renewal.
 * The token is also renewed once if the platform rejects it. If the platform refuses to issue a token, no further token
 * is requested.
 */
function renewingAuthorisation(options: RenewalOptions): Authorisation {
  const { clock } = options;
  let held: HeldToken | undefined;
  let underWay: Promise<HeldToken> | undefined;
  let final: Failure | undefined;

  const isServing = (): boolean => held !== undefined && !held.refused && clock.monotonic() < held.endsAt;

  const renew = async (): Promise<HeldToken> => {
    const requestedAt = clock.monotonic();
    const end = await nextLogin(held, options);
    if (end.kind !== "token") {
      const error = loginError(end);
      // While the current token is valid, only a refusal is final. After any other error, one more attempt follows when
      // the token is no longer valid.
      if (error instanceof Failure && (end.kind === "refused" || !isServing())) final = error;
      throw error;
    }
    held = heldTokenOf(end.token, `${options.prefix}${end.token.token}`, requestedAt, held);
    return held;
  };

  const renewOnce = (): Promise<HeldToken> => {
    if (final !== undefined) return Promise.reject(final);
    underWay ??= renew().finally(() => {
      underWay = undefined;
    });
    return underWay;
  };

  /** Renews the token in advance. The current token stays in use until it expires, even if the renewal fails. */
  const renewAhead = (generation: HeldToken): void => {
    generation.renewAt = Infinity;
    renewOnce().catch(() => undefined);
  };

  return {
    async header() {
      if (held === undefined || !isServing()) return (await renewOnce()).header;
      if (clock.monotonic() >= held.renewAt) renewAhead(held);
      return held.header;
    },
    accepted(header) {
      if (held?.header === header) held.confirmed = true;
    },
    mayHaveExpired: (header) => held?.header !== header || held.confirmed,
    async refused(header) {
      if (held === undefined || held.header !== header) return;
      if (held.afterRefusal && !held.confirmed) final ??= newTokenRefused();
      held.refused = true;
      await renewOnce();
    },
  };
}

/**
 * Requests a token with the refresh token, if there is one. If the platform rejects the refresh token, discards it and
 * uses the key.
 */
async function nextLogin(held: HeldToken | undefined, options: RenewalOptions): Promise<LoginResult> {
  const { login, apiKey, clock } = options;
  if (held?.refresh !== undefined && clock.monotonic() < held.refresh.until) {
    const end = await login({ refreshToken: held.refresh.token });
    if (end.kind !== "refused") return end;
    held.refresh = undefined;
  }
  return login({ apiKey });
}

/** Creates the next token of the run. Keeps the previous refresh token if the reply has none. */
function heldTokenOf(
  token: ServiceToken,
  header: string,
  requestedAt: number,
  before: HeldToken | undefined,
): HeldToken {
  const { lifetimeMs = Infinity, refreshToken, refreshLifetimeMs = Infinity } = token;
  return {
    header,
    renewAt: requestedAt + lifetimeMs - Math.min(lifetimeMs / 5, MAX_RENEWAL_MARGIN_MS),
    endsAt: requestedAt + lifetimeMs,
    refresh:
      refreshToken === undefined ? before?.refresh : { token: refreshToken, until: requestedAt + refreshLifetimeMs },
    confirmed: false,
    refused: false,
    afterRefusal: before?.refused ?? false,
  };
}

/**
 * Renewal starts when a fifth of the lifetime is left, but at most this long before expiry. This limit is more than
 * twice the default time limit of a request.
 */
const MAX_RENEWAL_MARGIN_MS = 5 * 60_000;

/** Returns the failure for a platform that rejects both a token and its replacement. */
export function newTokenRefused(): Failure {
  return new Failure("authentication", "the platform accepts neither the token nor a new token (HTTP 401)", {
    hint: "check the authentication scheme (`--auth`) and the permissions of the API key, then run the same command again",
  });
}
