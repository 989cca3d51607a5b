import { createHash, randomBytes } from "node:crypto";

/** A browser that may use the server: the browser sends the cookie automatically, and the page adds the key. */
export interface WebSession {
  /** The value of the cookie, which scripts cannot read. */
  readonly cookie: string;
  /**
   * The page sends it as a header. Browsers send cookies to every port of a host, so another local server could learn
   * the cookie, but not the key.
   */
  readonly key: string;
}

/** The tokens and sessions that give access to the server. */
export interface WebAccess {
  /** The token to show to the user. It can be exchanged while the server runs. */
  readonly token: string;
  /** A token that can be exchanged once, because other users can see the arguments of a program that opens a browser. */
  readonly createSingleToken: () => string;
  /** A session in exchange for a token; undefined for an unknown or used token. */
  readonly exchange: (token: string) => WebSession | undefined;
  readonly isKnown: (session: Partial<WebSession>) => boolean;
}

export function createAccess(): WebAccess {
  const token = secret();
  const singleTokens = new Set<string>();
  /** The key by the cookie; both as hashes, so that a comparison takes the same time for every value. */
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

/** 256 random bits. */
function secret(): string {
  return randomBytes(32).toString("base64url");
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
