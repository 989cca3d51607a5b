import { isJsonObject, type JsonObject, type JsonValue, valueAt } from "../../json/json-value.ts";
import { parseJson } from "../../json/parse-json.ts";
import type { AttrPath } from "../../json/attr.ts";
import type { HttpReply } from "../../transport/http.ts";

/** A token as the platform returned it. Its claims are not verified, because only the platform can verify them. */
export interface ServiceToken {
  readonly token: string;
  /** From the reply's `payload`, otherwise from the token itself if it is a JSON Web Token; otherwise empty. */
  readonly claims: JsonObject;
  /** The claim `exp`: seconds since 1970 by the platform's clock. */
  readonly expiresAt: number | undefined;
  /** Milliseconds from the request until the token expires; absent if unknown or implausible. */
  readonly lifetimeMs: number | undefined;
  readonly refreshToken: string | undefined;
  /** Seconds since 1970, from `refreshExpiresIn`. That member is a point in time, not a duration. */
  readonly refreshExpiresAt: number | undefined;
  readonly refreshLifetimeMs: number | undefined;
}

/**
 * Returns the token in a reply and the related members, or undefined if there is no token. The token's lifetime is
 * calculated from the platform's clock (the reply's `Date`, otherwise the claim `iat`), so that a wrong local clock
 * does not shift the renewal. If the token would already have expired by this calculation, its lifetime counts
 * as unknown.
 * @param now local wall clock in milliseconds since 1970, for a platform that sends no time
 */
export function serviceTokenIn(
  body: JsonValue | undefined,
  reply: HttpReply,
  tokenAt: AttrPath,
  now: number,
): ServiceToken | undefined {
  const whole = valueAt(body, ["data", ...tokenAt]);
  if (typeof whole !== "string" || !HEADER_SAFE.test(whole)) return undefined;
  const fields = valueAt(body, ["data", ...tokenAt.slice(0, -1)]);
  const payload = valueAt(fields, ["payload"]);
  const claims = isJsonObject(payload) ? payload : tokenClaims(whole);
  const expiresAt = expiryIn(claims);
  const refreshToken = valueAt(fields, ["refreshToken"]);
  const refreshExpiresAt = seconds(valueAt(fields, ["refreshExpiresIn"]));
  const requestedAt = platformSeconds(reply, claims) ?? now / 1000;
  return {
    token: whole,
    claims,
    expiresAt,
    lifetimeMs: lifetimeMs(expiresAt, requestedAt),
    refreshToken: typeof refreshToken === "string" && refreshToken !== "" ? refreshToken : undefined,
    refreshExpiresAt,
    refreshLifetimeMs: lifetimeMs(refreshExpiresAt, requestedAt),
  };
}

/** Characters that are safe in a header. */
const HEADER_SAFE = /^[\x21-\x7e]+$/;

/** Maximum length of any credential, in characters. Servers reject longer headers. */
export const MAX_TOKEN_LENGTH = 16_384;

/** Returns the unverified claims of a JSON Web Token (RFC 7519), or an empty object for any other token. */
export function tokenClaims(token: string): JsonObject {
  const [, body, signature] = token.length > MAX_TOKEN_LENGTH ? [] : token.split(".");
  if (body === undefined || signature === undefined) return {};
  const claims = parseJson(Buffer.from(body, "base64url").toString("utf8"));
  return isJsonObject(claims) ? claims : {};
}

/** Returns the claim `exp` in seconds since 1970, or undefined if it is absent or implausible. */
export function expiryIn(claims: JsonObject): number | undefined {
  return seconds(claims["exp"]);
}

function seconds(value: unknown): number | undefined {
  return typeof value === "number" && value > 0 && value < LAST_SECOND ? value : undefined;
}

/** The latest time that a JavaScript date can represent, in seconds since 1970. */
const LAST_SECOND = 8_640_000_000_000;

function platformSeconds({ headers }: HttpReply, claims: JsonObject): number | undefined {
  const date = Date.parse(headers["date"] ?? "");
  return Number.isNaN(date) ? seconds(claims["iat"]) : date / 1000;
}

/**
 * Returns the time until expiry. Both timestamps are truncated to whole seconds, so one second is subtracted as a
 * margin.
 */
function lifetimeMs(until: number | undefined, requestedAt: number): number | undefined {
  if (until === undefined) return undefined;
  const left = (until - requestedAt - 1) * 1000;
  return left > 0 ? left : undefined;
}
