import { Failure } from "../../model/failure.ts";
import type { Credentials } from "../../platform/auth/create-authorisation.ts";
import type { Secrets } from "../dependencies.ts";
import type { AuthSettings } from "../../options/target-options.ts";

/** @throws Failure `config` if the credentials for the scheme are missing */
export function credentialsOf({ token, apiKey }: Secrets, { scheme }: AuthSettings): Credentials {
  if (scheme === "basic") {
    if (apiKey !== undefined) return { kind: "basic", apiKey };
    throw new Failure("config", "basic authentication needs an API key", {
      hint: "set MIGRATE_API_KEY (in a program: `credentials`), or name a private file in the target's `auth`",
    });
  }
  if (token !== undefined) return { kind: "token", token };
  if (apiKey !== undefined) return { kind: "api-key", apiKey };
  throw new Failure("config", "no credentials for the platform are set", {
    hint: "set MIGRATE_API_KEY or MIGRATE_TOKEN (in a program: `credentials`), or name a private file in the target's `auth`",
  });
}

/** Returns the prefix of the token in the `Authorization` header, including the space. */
export function prefixOf({ scheme = "Token" }: AuthSettings): string {
  return scheme === "none" ? "" : `${scheme} `;
}

/**
 * Returns the first setting that has no effect next to the other settings, and the reason; undefined if all settings
 * have an effect.
 */
export function ineffectiveSetting(
  auth: AuthSettings,
): { readonly name: keyof AuthSettings; readonly reason: string } | undefined {
  const rules: readonly (readonly [isSet: boolean, names: readonly (keyof AuthSettings)[], other: string])[] = [
    [auth.scheme === "basic", LOGIN_SETTINGS, "with `scheme: basic`, which requests no token"],
    [auth.document !== undefined, DOCUMENT_SETTINGS, "next to `document`, which replaces it"],
    [auth.refreshDocument !== undefined, ["refreshField"], "next to `refreshDocument`, which replaces it"],
  ];
  return rules
    .filter(([isSet]) => isSet)
    .flatMap(([, names, other]) => names.map((name) => ({ name, reason: `has no effect ${other}` })))
    .find(({ name }) => auth[name] !== undefined);
}

/** The settings of the GraphQL document that `document` replaces. */
const DOCUMENT_SETTINGS = ["inputField", "refreshField", "outputFields"] as const;
/** The settings for the exchange of an API key for a token. */
const LOGIN_SETTINGS = [
  ...DOCUMENT_SETTINGS,
  "mutation",
  "outputPath",
  "document",
  "refreshDocument",
  "graphqlPath",
] as const;
