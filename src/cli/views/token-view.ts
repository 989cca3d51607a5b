import type { TokenRecord } from "../../commands/reading/token.ts";
import { plainText } from "../../text/plain-text.ts";
import type { View } from "./view.ts";

/** Platform, format, identity and expiry of a token, one per line. As data, times are in ISO 8601 UTC. */
export const tokenView: View<TokenRecord> = { text: tokenText, json: tokenJson };

function tokenText(record: TokenRecord): string {
  const { platform, scheme, from, ended, expiresAt, refreshExpiresAt, token } = record;
  const end = `${expiresAt === undefined ? "not known" : localTime(expiresAt)}${ended ? ", expired" : ""}`;
  const lines = [
    ["platform", platform],
    ["scheme", SCHEME_TEXT[scheme]],
    ...(from === "none" ? [] : [["token", TOKEN_SOURCE_TEXT[from]]]),
    ...identity(record).map(([name, value]) => [CLAIM_LABELS[name], value]),
    ...(from === "none" ? [] : [["expires", end]]),
    ...(refreshExpiresAt === undefined ? [] : [["refresh expires", localTime(refreshExpiresAt)]]),
    ...(token === undefined ? [] : [["secret", token]]),
  ];
  return lines.map(([label = "", value = ""]) => `${label.padEnd(17)}${plainText(value, MAX_TOKEN_LENGTH)}\n`).join("");
}

function tokenJson(record: TokenRecord): string {
  const { platform, scheme, from, ended, expiresAt, refreshExpiresAt, token } = record;
  const shown = {
    platform,
    scheme,
    from,
    claims: Object.fromEntries(identity(record)),
    ...(expiresAt !== undefined && { expiresAt: iso(expiresAt), ended }),
    ...(refreshExpiresAt !== undefined && { refreshExpiresAt: iso(refreshExpiresAt) }),
    ...(token !== undefined && { token }),
  };
  return `${JSON.stringify(shown, undefined, 2)}\n`;
}

const MAX_TOKEN_LENGTH = 16_384;

const SCHEME_TEXT: Readonly<Record<TokenRecord["scheme"], string>> = {
  Token: "Authorization: Token <token>",
  JWT: "Authorization: JWT <token>",
  Bearer: "Authorization: Bearer <token>",
  none: "Authorization: <token>",
  basic: "Authorization: Basic, the API key as user name and an empty password; no token",
};

const TOKEN_SOURCE_TEXT = {
  login: "obtained with the API key",
  given: "provided, not checked with the platform",
} as const;

/** The claims to show: subject, grant type and issuer. All other claims may be personal data. */
const CLAIM_LABELS = { sub: "subject", gty: "grant type", iss: "issuer" } as const;

function identity({ claims }: TokenRecord): readonly (readonly [keyof typeof CLAIM_LABELS, string])[] {
  return (["sub", "gty", "iss"] as const).flatMap((name) => {
    const value = claims[name];
    return typeof value === "string" || typeof value === "number" ? [[name, plainText(String(value))] as const] : [];
  });
}

/** A time in the local time zone, then in UTC: `21 Nov 2026, 02:48:58 UTC (2026-11-21T02:48:58.000Z)`. */
function localTime(seconds: number): string {
  const local = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "long" });
  return `${local.format(seconds * 1000)} (${iso(seconds)})`;
}

function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}
