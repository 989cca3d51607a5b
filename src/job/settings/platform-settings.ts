/** The platform of a run and how to connect to it. Plain data: stored with the run, without secrets. */
export interface TargetSettings {
  readonly baseUrl: string;
  /** The flags that select this target again, as words of a command. */
  readonly flags: readonly string[];
  /** PEM file of a certificate authority to trust in addition to the default ones. */
  readonly ca?: string | undefined;
  /** Address of the proxy; none unless it is set here. */
  readonly proxy?: string | undefined;
  readonly timeouts?: TimeoutSettings | undefined;
  readonly allowInsecureLoopback: boolean;
  /** Sending requires confirmation. */
  readonly production: boolean;
  readonly auth: AuthSettings;
}

/** Time limits for the parts of a request; defaults as in docs/configuration.md. */
export interface TimeoutSettings {
  readonly connectSeconds?: number | undefined;
  readonly headersSeconds?: number | undefined;
  readonly bodySeconds?: number | undefined;
  readonly wholeSeconds?: number | undefined;
  /** How long the platform may still process a request after it was aborted. */
  readonly quietSeconds?: number | undefined;
}

export interface RateLimitSettings {
  readonly concurrency: "auto" | number;
  /** Maximum number of requests in flight for `auto`. */
  readonly maxConcurrency: number;
  readonly rps?: number | undefined;
  /**
   * Wait until an import supplier that is Paused or Complete accepts records again; without `forMs` there is no time
   * limit.
   */
  readonly waitForSupplier?: { readonly forMs?: number | undefined } | undefined;
}

export const DEFAULT_PACE: RateLimitSettings = { concurrency: "auto", maxConcurrency: 16 };

/** Forms of the `Authorization` header: the prefix of the token, or the API key itself (`basic`). */
export const AUTH_SCHEMES = ["Token", "JWT", "Bearer", "none", "basic"] as const;
export type AuthScheme = (typeof AUTH_SCHEMES)[number];

/** How to authenticate with a platform. Plain data: stored with the run, without secrets. */
export interface AuthSettings {
  /**
   * Default `Token`; `none`: the bare token; `basic`: the API key as user name with an empty password (specification
   * 5.4).
   */
  readonly scheme?: AuthScheme | undefined;
  readonly apiKeyFile?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly graphqlPath?: string | undefined;
  /** Name of the token mutation, its input fields for a key and a refresh token, and its output fields. */
  readonly mutation?: string | undefined;
  readonly inputField?: string | undefined;
  readonly refreshField?: string | undefined;
  readonly outputFields?: readonly string[] | undefined;
  /** Path of the token in the reply's data: `a.b`. */
  readonly outputPath?: string | undefined;
  /** Complete GraphQL documents, for a key and for a refresh token. */
  readonly document?: string | undefined;
  readonly refreshDocument?: string | undefined;
}
