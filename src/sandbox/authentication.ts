import { type Reply, refusal } from "./reply.ts";
import type { Tokens } from "./tokens.ts";

/** Refuses a request that does not say who sends it; undefined lets it pass. */
export type Authenticate = (
  authorization: string | undefined,
  basic: "basic-allowed" | "token-only",
) => Reply | undefined;

/**
 * Specification 5.3-5.4: a token, or the API key itself as a long-lived one, in the `Authorization` header
 * (`Token <t>`; also bare, `JWT <t>` and `Bearer <t>`, because instances differ);
 * where basic authentication is allowed, the API key as user name with an empty password.
 */
export function createAuthenticate(apiKey: string, tokens: Tokens): Authenticate {
  const isBasic = (credentials: string): boolean => Buffer.from(credentials, "base64").toString() === `${apiKey}:`;
  return (authorization = "", basic) => {
    const [, scheme = "", credentials] = /^(?:(\S+) +)?(\S+)$/.exec(authorization.trim()) ?? [];
    if (credentials === undefined) {
      return unauthorised("not_authenticated", "Authentication credentials were not provided.");
    }
    if (scheme.toLowerCase() === "basic") {
      return basic === "basic-allowed" && isBasic(credentials) ? undefined : wrongCredentials();
    }
    if (!TOKEN_SCHEMES.has(scheme.toLowerCase())) return wrongCredentials();
    return credentials === apiKey ? undefined : refuseToken(credentials, tokens);
  };
}

const TOKEN_SCHEMES: ReadonlySet<string> = new Set(["", "token", "jwt", "bearer"]);

function refuseToken(token: string, tokens: Tokens): Reply | undefined {
  const finding = tokens.check(token);
  if (finding === "valid") return undefined;
  return finding === "expired" ? unauthorised("authentication_failed", "The token has expired.") : wrongCredentials();
}

function wrongCredentials(): Reply {
  return unauthorised("authentication_failed", "Incorrect authentication credentials.");
}

function unauthorised(code: string, detail: string): Reply {
  return { ...refusal(401, code, detail), headers: { "WWW-Authenticate": "Token" } };
}
