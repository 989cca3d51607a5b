import { parseAttr } from "../json/attr.ts";
import { Failure } from "../model/failure.ts";
import type { Credentials } from "../platform/auth/create-authorisation.ts";
import type { TokenMutation } from "../platform/auth/token-mutation.ts";
import type { Secrets } from "./dependencies.ts";

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

/** @throws Failure `config` without the credentials that the scheme takes */
export function credentialsOf({ token, apiKey }: Secrets, { scheme }: AuthSettings): Credentials {
  if (scheme === "basic") {
    if (apiKey !== undefined) return { kind: "basic", apiKey };
    throw new Failure("config", "basic authentication takes an API key, and there is none", {
      hint: "set MIGRATE_API_KEY, or name a private file in the target's `auth`",
    });
  }
  if (token !== undefined) return { kind: "token", token };
  if (apiKey !== undefined) return { kind: "api-key", apiKey };
  throw new Failure("config", "there are no credentials for the platform", {
    hint: "set MIGRATE_API_KEY or MIGRATE_TOKEN, or name a private file in the target's `auth`",
  });
}

/** What stands before the token in the header. */
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
