import { parseAttr } from "../../json/attr.ts";
import { Failure } from "../../model/failure.ts";
import type { Credentials } from "../../platform/auth/create-authorisation.ts";
import type { TokenMutation } from "../../platform/auth/login.ts";
import type { Secrets } from "../dependencies.ts";
import type { AuthSettings } from "../../options/target-options.ts";

/** @throws Failure `config` if the credentials for the scheme are missing */
export function credentialsOf({ token, apiKey }: Secrets, { scheme }: AuthSettings): Credentials {
  if (scheme === "basic") {
    if (apiKey !== undefined) return { kind: "basic", apiKey };
    throw new Failure("config", "basic authentication needs an API key", {
      hint: "set MIGRATE_API_KEY, or name a private file in the target's `auth`",
    });
  }
  if (token !== undefined) return { kind: "token", token };
  if (apiKey !== undefined) return { kind: "api-key", apiKey };
  throw new Failure("config", "no credentials for the platform are set", {
    hint: "set MIGRATE_API_KEY or MIGRATE_TOKEN, or name a private file in the target's `auth`",
  });
}

/** Returns the prefix of the token in the `Authorization` header, including the space. */
export function prefixOf({ scheme = "Token" }: AuthSettings): string {
  return scheme === "none" ? "" : `${scheme} `;
}

export function mutationOf(auth: AuthSettings): TokenMutation {
  return {
    path: auth.graphqlPath,
    name: auth.mutation,
    inputField: auth.inputField,
    refreshField: auth.refreshField,
    outputFields: auth.outputFields,
    tokenAt: auth.outputPath === undefined ? undefined : parseAttr(auth.outputPath),
    document: auth.document,
    refreshDocument: auth.refreshDocument,
  };
}
