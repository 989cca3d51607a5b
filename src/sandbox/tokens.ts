import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

export interface IssuedToken {
  readonly token: string;
  /** The token's claims; `exp` and `iat` in seconds since 1970. */
  readonly payload: TokenClaims;
  readonly refreshToken: string;
  /** Seconds since 1970, as the platform gives it. */
  readonly refreshExpiresIn: number;
}

interface TokenClaims {
  readonly sub: string;
  readonly iss: string;
  readonly iat: number;
  readonly exp: number;
}

type TokenFinding = "valid" | "expired" | "wrong";

export interface Tokens {
  readonly issue: (lifetime: TokenLifetime) => IssuedToken;
  readonly check: (token: string) => TokenFinding;
  readonly checkRefresh: (token: string) => TokenFinding;
  /** Makes every token issued so far worthless. */
  readonly rotate: () => void;
}

export interface TokenLifetime {
  readonly seconds: number;
  readonly refreshSeconds: number;
}

/** Tokens in the form of a JSON Web Token, signed with a key that lives as long as the sandbox, or until `rotate`. */
export function createTokens(nowMs: () => number): Tokens {
  let secret = randomBytes(32);

  const seconds = (): number => Math.floor(nowMs() / 1000);
  const sign = (claims: TokenClaims, use: string): string => {
    const unsigned = `${encode({ alg: "HS256", typ: "JWT" })}.${encode({ ...claims, use })}`;
    return `${unsigned}.${createHmac("sha256", secret).update(unsigned).digest("base64url")}`;
  };
  const check = (token: string, use: string): TokenFinding => {
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

/** Only called on text that the sandbox itself has signed. */
function decode(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
  return typeof value === "object" && value !== null ? { ...value } : {};
}
