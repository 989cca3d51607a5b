import type { JsonObject } from "../../json/json-value.ts";
import { fetchToken } from "../../platform/auth/login.ts";
import { expiryIn, tokenClaims } from "../../platform/auth/service-token.ts";
import { credentialsOf } from "../../job/settings/auth-settings.ts";
import type { TargetSettings } from "../../job/settings/platform-settings.ts";
import { type OpenTarget, openTarget } from "../../job/target-connection.ts";
import type { Dependencies } from "../../job/dependencies.ts";
import type { AuthScheme } from "../../options/option-row.ts";
import type { AuthSettings } from "../../options/target-options.ts";

export interface TokenOptions {
  readonly target: TargetSettings;
  readonly show: boolean;
}

/** How requests to a platform are authorised: the scheme and the token. */
export interface TokenRecord extends TokenDetails {
  /** Origin of the base URL. Credentials are sent nowhere else. */
  readonly platform: string;
  readonly scheme: AuthScheme;
}

interface TokenDetails {
  /**
   * - `login`: the token was just obtained with the API key
   * - `given`: the user supplied the token
   * - `none`: basic authentication has no token
   */
  readonly from: "login" | "given" | "none";
  /** The unverified claims in the token. */
  readonly claims: JsonObject;
  /** Seconds since 1970; absent if the token does not state its expiry. */
  readonly expiresAt?: number | undefined;
  /** Whether the token has expired according to the local clock. */
  readonly ended: boolean;
  /** Seconds since 1970; absent without a refresh token, or if its expiry is unknown. */
  readonly refreshExpiresAt?: number | undefined;
  /** Present only if requested. */
  readonly token?: string | undefined;
}

/**
 * Obtains a token as a push would, or inspects the token that the user supplied.
 * @throws Failure `authentication` if the platform issues no token, `config` if there are no credentials
 */
export async function token({ target, show }: TokenOptions, dependencies: Dependencies): Promise<TokenRecord> {
  const open = await openTarget(target, { connections: 1 }, dependencies);
  try {
    const { token: secret, ...record } = await inspectToken(target.auth, open, dependencies);
    const known = { platform: open.baseUrl.origin, scheme: target.auth.scheme ?? "Token", ...record };
    return show ? { ...known, token: secret } : known;
  } finally {
    await open.close();
  }
}

async function inspectToken(
  auth: AuthSettings,
  open: OpenTarget,
  { secrets, clock }: Dependencies,
): Promise<TokenDetails> {
  const credentials = credentialsOf(await secrets(auth), auth);
  if (credentials.kind === "basic") return { from: "none", claims: {}, ended: false };
  if (credentials.kind === "api-key") {
    const obtained = await fetchToken(credentials.apiKey, { ...open, auth, clock });
    const { claims, expiresAt, refreshExpiresAt } = obtained;
    return { from: "login", claims, expiresAt, ended: false, refreshExpiresAt, token: obtained.token };
  }
  const claims = tokenClaims(credentials.token);
  const expiresAt = expiryIn(claims);
  const ended = expiresAt !== undefined && expiresAt * 1000 <= clock.now();
  return { from: "given", claims, expiresAt, ended, token: credentials.token };
}
