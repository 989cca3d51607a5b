import type { AttrPath } from "../../json/attr.ts";

/** How a service token is obtained; the specification names the mutation and does not show the rest (5.2, 5.5). */
export interface TokenMutation {
  /** Default `/v1/graphql/`, on the instance's root. */
  readonly path?: string | undefined;
  /** Default `ObtainServiceToken`. */
  readonly name?: string | undefined;
  /** Member of the mutation's `input` that takes the API key, default `APIKey`. */
  readonly inputField?: string | undefined;
  /** Member of the mutation's `input` that takes a refresh token, default `refreshToken`. */
  readonly refreshField?: string | undefined;
  /**
   * What to ask for, as GraphQL selections; default: what leads to the token, and nothing else. A field that an
   * instance does not have makes GraphQL refuse the whole document, so more is asked for on request only.
   */
  readonly outputFields?: readonly string[] | undefined;
  /** Where the reply's `data` holds the token, default `<name>.token`. */
  readonly tokenAt?: AttrPath | undefined;
  /** The whole GraphQL document in place of the default one; it takes the key as `$apiKey`. */
  readonly document?: string | undefined;
  /** The same for a refresh token, which it takes as `$refreshToken`. Without it, a `document` of one's own refreshes nothing. */
  readonly refreshDocument?: string | undefined;
}

export interface TokenDocuments {
  readonly forKey: string;
  /** Absent: tokens are renewed with the key. */
  readonly forRefresh: string | undefined;
  readonly tokenAt: AttrPath;
}

/** The input is written out in place, so that no document names the input's type, which the specification does not. */
export function tokenDocuments(mutation: TokenMutation): TokenDocuments {
  const { name = "ObtainServiceToken", inputField = "APIKey", refreshField = "refreshToken" } = mutation;
  const tokenAt = mutation.tokenAt ?? [name, "token"];
  const output = (mutation.outputFields ?? [selection(tokenAt.slice(1))]).join(" ");
  const documentWith = (field: string, variable: string): string =>
    `mutation ${name}($${variable}: String!) { ${name}(input: { ${field}: $${variable} }) { ${output} } }`;
  const ownDocument = mutation.document !== undefined;
  return {
    forKey: mutation.document ?? documentWith(inputField, "apiKey"),
    forRefresh: mutation.refreshDocument ?? (ownDocument ? undefined : documentWith(refreshField, "refreshToken")),
    tokenAt,
  };
}

/** `access.jwt` is asked for as `access { jwt }`. */
function selection([field = "token", ...deeper]: AttrPath): string {
  return deeper.length === 0 ? String(field) : `${field} { ${selection(deeper)} }`;
}
