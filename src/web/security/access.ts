import { createHash, randomBytes } from "node:crypto";

/** The credentials of a browser. The browser sends the cookie automatically, and the page adds the key. */
export interface WebSession {
  /** The value of the cookie, which scripts cannot read. */
  readonly cookie: string;
  /**
   * Sent by the page as a header. Browsers send cookies to every port of a host, so another local server could learn
   * the cookie, but it cannot learn the key.
   */
  readonly key: string;
}

/** The tokens and sessions that give access to the server. */
export interface WebAccess {
  /** The token to show to the user. It remains valid while the server runs. */
  readonly token: string;
  /**
   * Creates a token that is valid only once, because other users can see the arguments of the program that opens a
   * browser.
   */
  readonly createSingleToken: () => string;
  /** Exchanges a token for a session; undefined if the token is unknown or was already used. */
  readonly exchange: (token: string) => WebSession | undefined;
  readonly isKnown: (session: Partial<WebSession>) => boolean;
}

export function createAccess(): WebAccess {
  const token = secret();
  const singleTokens = new Set<string>();
  /** Maps cookies to keys. Both are hashed, so that the duration of a comparison reveals nothing about them. */
  const keys = new Map<string, string>();
  return {
    token,
    createSingleToken: () => {
      const single = secret();
      singleTokens.add(hashOf(single));
      return single;
    },
    exchange: (given) => {
      const isValid = hashOf(given) === hashOf(token) || singleTokens.delete(hashOf(given));
      if (!isValid) return undefined;
      const session = { cookie: secret(), key: secret() };
      keys.set(hashOf(session.cookie), hashOf(session.key));
      return session;
    },
    isKnown: ({ cookie, key }) => cookie !== undefined && key !== undefined && keys.get(hashOf(cookie)) === hashOf(key),
  };
}

function secret(): string {
  return randomBytes(32).toString("base64url");
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
