import type { WallClock, MonotonicClock } from "../../time/clock.ts";
import { Failure } from "../../model/failure.ts";
import type { Authorisation } from "./authorisation.ts";
import { createLogin, type LoginOptions, withLoginBackoff } from "./login.ts";
import { expiryIn, tokenClaims } from "./service-token.ts";
import { renewingAuthorisation } from "./token-renewal.ts";

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
  return renewingAuthorisation({
    login: withLoginBackoff(createLogin(options), clock),
    apiKey,
    prefix,
    clock,
  });
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
