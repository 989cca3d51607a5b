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
  return (authorization, basic) => {
    if (authorization === undefined || authorization.trim() === "") {
      return unauthorised("not_authenticated", "Authentication credentials were not provided.");
    }
    const [, scheme = "", credentials = ""] = /^(?:(\S+) +)?(\S+)$/.exec(authorization.trim()) ?? [];
    if (scheme.toLowerCase() === "basic") {
      const right = basic === "basic-allowed" && Buffer.from(credentials, "base64").toString() === `${apiKey}:`;
      return right ? undefined : wrongCredentials();
    }
    if (!["", "token", "jwt", "bearer"].includes(scheme.toLowerCase())) return wrongCredentials();
    if (credentials === apiKey) return undefined;
    const finding = tokens.check(credentials);
    if (finding === "valid") return undefined;
    return finding === "expired" ? unauthorised("authentication_failed", "The token has expired.") : wrongCredentials();
  };
}

function wrongCredentials(): Reply {
  return unauthorised("authentication_failed", "Incorrect authentication credentials.");
}

function unauthorised(code: string, detail: string): Reply {
  return { ...refusal(401, code, detail), headers: { "WWW-Authenticate": "Token" } };
}
