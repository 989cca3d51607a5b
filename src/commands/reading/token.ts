import type { JsonObject } from "../../json/json-value.ts";
import { fetchToken } from "../../platform/auth/login.ts";
import { expiryIn, tokenClaims } from "../../platform/auth/service-token.ts";
import { credentialsOf, mutationOf } from "../../job/settings/auth-settings.ts";
import { type OpenTarget, openTarget } from "../../job/target-connection.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import type { AuthScheme, AuthSettings, TargetSettings } from "../../job/settings/platform-settings.ts";

export interface TokenOptions {
  readonly target: TargetSettings;
  /** Give the token itself, too. */
  readonly show: boolean;
}

/** What the requests to a platform are authorised with. */
export interface TokenRecord {
  /** The base URL's origin: credentials are sent there and nowhere else. */
  readonly platform: string;
  readonly scheme: AuthScheme;
  /** `login`: obtained with the API key just now. `given`: as it is. `none`: basic authentication has no token. */
  readonly from: "login" | "given" | "none";
  /** The token's own words, not verified. */
  readonly claims: JsonObject;
  /** Seconds since 1970; absent where the token does not tell. */
  readonly expiresAt?: number | undefined;
  /** By the clock of this machine. */
  readonly ended: boolean;
  /** Seconds since 1970; absent without a refresh token, or where nobody tells. */
  readonly refreshExpiresAt?: number | undefined;
  /** Only where it was asked for. */
  readonly token?: string | undefined;
}

type TokenDependencies = Pick<Dependencies, "secrets" | "clock" | "proxyCredentials">;

/**
 * Obtains a token as a push would, or looks at the one that is given.
 * @throws Failure `authentication` when the platform gives none, `config` without credentials
 */
export async function token({ target, show }: TokenOptions, dependencies: TokenDependencies): Promise<TokenRecord> {
  const open = await openTarget(target, { connections: 1 }, dependencies);
  try {
    const { token: secret, ...record } = await inspectToken(target.auth, open, dependencies);
    const known = { platform: open.baseUrl.origin, scheme: target.auth.scheme ?? "Token", ...record };
    return show ? { ...known, token: secret } : known;
  } finally {
    await open.close();
  }
}

type TokenDetails = Omit<TokenRecord, "platform" | "scheme">;

async function inspectToken(
  auth: AuthSettings,
  open: OpenTarget,
  { secrets, clock }: TokenDependencies,
): Promise<TokenDetails> {
  const credentials = credentialsOf(await secrets(auth), auth);
  if (credentials.kind === "basic") return { from: "none", claims: {}, ended: false };
  if (credentials.kind === "token") return givenToken(credentials.token, clock.now());
  const obtained = await fetchToken(credentials.apiKey, { ...open, mutation: mutationOf(auth), clock });
  const { claims, expiresAt, refreshExpiresAt } = obtained;
  return { from: "login", claims, expiresAt, ended: false, refreshExpiresAt, token: obtained.token };
}

function givenToken(text: string, now: number): TokenDetails {
  const claims = tokenClaims(text);
  const expiresAt = expiryIn(claims);
  return { from: "given", claims, expiresAt, ended: expiresAt !== undefined && expiresAt * 1000 <= now, token: text };
}
