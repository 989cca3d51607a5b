import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { refusal, type Reply } from "../sandbox-reply.ts";

/** Returns a refusal for a request without valid credentials; undefined for an authenticated request. */
export type Authenticate = (
  authorization: string | undefined,
  basic: "basic-allowed" | "token-only",
) => Reply | undefined;

/**
 * Authenticates requests as in specification 5.3 and 5.4. The `Authorization` header contains a token, or the API key
 * itself as a long-lived token. Accepts the forms `Token <t>`, `JWT <t>`, `Bearer <t>` and a bare token, because
 * instances differ. If basic authentication is allowed, also accepts the API key as the user name with an empty
 * password.
 */
export function createAuthenticate(apiKey: string, tokens: Tokens): Authenticate {
  const isBasic = (credentials: string): boolean => Buffer.from(credentials, "base64").toString() === `${apiKey}:`;
  return (authorization = "", basic) => {
    const [, scheme = "", credentials] = /^(?:(\S+) +)?(\S+)$/.exec(authorization.trim()) ?? [];
    if (credentials === undefined) {
      return unauthorised("not_authenticated", "Authentication credentials were not provided.");
    }
    if (scheme.toLowerCase() === "basic") {
      return basic === "basic-allowed" && isBasic(credentials) ? undefined : WRONG_CREDENTIALS;
    }
    if (!TOKEN_SCHEMES.has(scheme.toLowerCase())) return WRONG_CREDENTIALS;
    return credentials === apiKey ? undefined : refuseToken(credentials, tokens);
  };
}

const WRONG_CREDENTIALS: Reply = unauthorised("authentication_failed", "Incorrect authentication credentials.");
const TOKEN_SCHEMES: ReadonlySet<string> = new Set(["", "token", "jwt", "bearer"]);

function refuseToken(token: string, tokens: Tokens): Reply | undefined {
  const finding = tokens.check(token);
  if (finding === "valid") return undefined;
  return finding === "expired" ? unauthorised("authentication_failed", "The token has expired.") : WRONG_CREDENTIALS;
}

function unauthorised(code: string, detail: string): Reply {
  return { ...refusal(401, code, detail), headers: { "WWW-Authenticate": "Token" } };
}

export interface IssuedToken {
  readonly token: string;
  /** The token's claims; `exp` and `iat` in seconds since 1970. */
  readonly payload: TokenClaims;
  readonly refreshToken: string;
  /** The time of expiry in seconds since 1970, as on the platform; not a duration. */
  readonly refreshExpiresIn: number;
}

interface TokenClaims {
  readonly sub: string;
  readonly iss: string;
  readonly iat: number;
  readonly exp: number;
}

type TokenState = "valid" | "expired" | "wrong";

export interface Tokens {
  readonly issue: (lifetime: { readonly seconds: number; readonly refreshSeconds: number }) => IssuedToken;
  readonly check: (token: string) => TokenState;
  readonly checkRefresh: (token: string) => TokenState;
  /** Invalidates every token issued so far. */
  readonly rotate: () => void;
}

/** Issues tokens in JSON Web Token format. The signing key is valid until `rotate` or until the sandbox stops. */
export function createTokens(nowMs: () => number): Tokens {
  let secret = randomBytes(32);

  const seconds = (): number => Math.floor(nowMs() / 1000);
  const sign = (claims: TokenClaims, use: string): string => {
    const unsigned = `${encode({ alg: "HS256", typ: "JWT" })}.${encode({ ...claims, use })}`;
    return `${unsigned}.${createHmac("sha256", secret).update(unsigned).digest("base64url")}`;
  };
  const check = (token: string, use: string): TokenState => {
    const [header = "", body = "", signature = ""] = token.split(".");
    const expected = createHmac("sha256", secret).update(`${header}.${body}`).digest();
    const given = Buffer.from(signature, "base64url");
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return "wrong";
    const claims = decode(body);
    if (claims.use !== use) return "wrong";
    return Number(claims.exp) > seconds() ? "valid" : "expired";
  };

  return {
    issue: (lifetime) => {
      const iat = seconds();
      const payload = { sub: "sandbox-organisation", iss: "sandbox", iat, exp: iat + lifetime.seconds };
      const refreshExpiresIn = iat + lifetime.refreshSeconds;
      return {
        token: sign(payload, "access"),
        payload,
        refreshToken: sign({ ...payload, exp: refreshExpiresIn }, "refresh"),
        refreshExpiresIn,
      };
    },
    check: (token) => check(token, "access"),
    checkRefresh: (token) => check(token, "refresh"),
    rotate: () => {
      secret = randomBytes(32);
    },
  };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** The caller must pass only text that the sandbox itself has signed. */
function decode(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
  return typeof value === "object" && value !== null ? { ...value } : {};
}
