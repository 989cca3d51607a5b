import type { AttrPath } from "../../json/attr.ts";

/** Settings of the request for a service token. The specification names the mutation but not its fields (5.2, 5.5). */
export interface TokenMutation {
  /** Default `/v1/graphql/`, on the instance's root. */
  readonly path?: string | undefined;
  /** Default `ObtainServiceToken`. */
  readonly name?: string | undefined;
  /** Member of the mutation's `input` for the API key, default `APIKey`. */
  readonly inputField?: string | undefined;
  /** Member of the mutation's `input` for a refresh token, default `refreshToken`. */
  readonly refreshField?: string | undefined;
  /**
   * The output fields, as GraphQL selections; default: only the path to the token. GraphQL rejects the whole document
   * if an instance lacks a field, so further fields are selected only if configured.
   */
  readonly outputFields?: readonly string[] | undefined;
  /** Path of the token in the reply's `data`, default `<name>.token`. */
  readonly tokenAt?: AttrPath | undefined;
  /** The complete GraphQL document that replaces the default one; receives the key as `$apiKey`. */
  readonly document?: string | undefined;
  /** Document for a refresh token, passed as `$refreshToken`. If only `document` is set, tokens are not refreshed. */
  readonly refreshDocument?: string | undefined;
}

export interface TokenDocuments {
  readonly forKey: string;
  /** Absent: tokens are renewed with the key. */
  readonly forRefresh: string | undefined;
  readonly tokenAt: AttrPath;
}

/**
 * Builds the GraphQL documents. The input is written inline, so that a document need not name the input's type, which
 * the specification omits.
 */
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

/** `access.jwt` is selected as `access { jwt }`. */
function selection([field = "token", ...deeper]: AttrPath): string {
  return deeper.length === 0 ? String(field) : `${field} { ${selection(deeper)} }`;
}
