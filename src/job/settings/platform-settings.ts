/** Which platform a run talks to, and how. Plain data: it is stored with the run, and holds no secret. */
export interface TargetSettings {
  readonly baseUrl: string;
  /** The flags that name this target again, as words of a command. */
  readonly flags: readonly string[];
  /** PEM file of a certificate authority to trust beside the usual ones. */
  readonly ca?: string | undefined;
  /** Address of the proxy to go through; none, unless it is named. */
  readonly proxy?: string | undefined;
  readonly timeouts?: TimeoutSettings | undefined;
  readonly allowInsecureLoopback: boolean;
  /** Sending wants a confirmation. */
  readonly production: boolean;
  readonly auth: AuthSettings;
}

/** How long each part of a request may take; what is not given is as in docs/configuration.md. */
export interface TimeoutSettings {
  readonly connectSeconds?: number | undefined;
  readonly headersSeconds?: number | undefined;
  readonly bodySeconds?: number | undefined;
  readonly wholeSeconds?: number | undefined;
  /** How long after a request was given up the platform may still process it. */
  readonly quietSeconds?: number | undefined;
}

/** How fast a run may go. */
export interface RateLimitSettings {
  readonly concurrency: "auto" | number;
  /** The most requests in flight that `auto` may reach. */
  readonly maxConcurrency: number;
  readonly rps?: number | undefined;
  /** Wait until an import supplier that is Paused or Complete takes records again; without `forMs` as long as it takes. */
  readonly waitForSupplier?: { readonly forMs?: number | undefined } | undefined;
}

/** Unless the settings say otherwise. */
export const DEFAULT_PACE: RateLimitSettings = { concurrency: "auto", maxConcurrency: 16 };

/** Forms of the `Authorization` header: what stands before the token, or the API key itself (`basic`). */
export const AUTH_SCHEMES = ["Token", "JWT", "Bearer", "none", "basic"] as const;
export type AuthScheme = (typeof AUTH_SCHEMES)[number];

/** How to authenticate with a platform. Plain data: it is stored with the run, and holds no secret. */
export interface AuthSettings {
  /** Default `Token`; `none`: the bare token; `basic`: the API key as user name, an empty password (specification 5.4). */
  readonly scheme?: AuthScheme | undefined;
  readonly apiKeyFile?: string | undefined;
  readonly tokenFile?: string | undefined;
  readonly graphqlPath?: string | undefined;
  /** The token mutation's name, the input fields that take a key or a refresh token, and what it is asked for. */
  readonly mutation?: string | undefined;
  readonly inputField?: string | undefined;
  readonly refreshField?: string | undefined;
  readonly outputFields?: readonly string[] | undefined;
  /** Where the reply's data holds the token: `a.b`. */
  readonly outputPath?: string | undefined;
  /** Whole GraphQL documents, for a key and for a refresh token. */
  readonly document?: string | undefined;
  readonly refreshDocument?: string | undefined;
}
