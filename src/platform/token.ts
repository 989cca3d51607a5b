import type { AttrPath } from "../model/attr.ts";
import { Failure } from "../model/failure.ts";
import { isJsonArray } from "../model/json.ts";
import { joinPath } from "../transport/base-url.ts";
import { type Http, type HttpReply, TransportError } from "../transport/http.ts";
import { cleanText, parseBody, valueAt } from "./reply-body.ts";

/** Where the `Authorization` header of every request comes from; shared by all workers. */
export interface Authorisation {
  /**
   * The header's value. Obtains the token when there is none yet; many callers, one request.
   * @throws Failure `authentication`, for good; TransportError (phase `unsent`) when there is no token for now
   */
  readonly header: () => Promise<string>;
  /**
   * Says that the platform answered 401 to `header`, and resolves when `header()` has something newer.
   * @throws as `header()` does
   */
  readonly refused: (header: string) => Promise<void>;
}

export type Credentials =
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "api-key"; readonly apiKey: string };

export interface AuthorisationOptions {
  readonly credentials: Credentials;
  readonly http: Http;
  readonly baseUrl: URL;
  /** Before the token in the header, default `Token ` (specification 5.3); `Bearer `, `JWT ` or nothing elsewhere. */
  readonly prefix?: string;
  readonly mutation?: TokenMutation;
}

/** How a service token is obtained; the specification names the mutation and does not show the rest (5.2, 5.5). */
export interface TokenMutation {
  /** Default `/v1/graphql/`, on the instance's root. */
  readonly path?: string;
  /** Default `ObtainServiceToken`. */
  readonly name?: string;
  /** Member of the mutation's `input` that takes the API key, default `APIKey`. */
  readonly inputField?: string;
  /** Where the reply's `data` holds the token, default `<name>.token`. */
  readonly tokenAt?: AttrPath;
  /** The whole GraphQL document in place of the default one; it takes the key as `$apiKey`. */
  readonly document?: string;
}

export function createAuthorisation(options: AuthorisationOptions): Authorisation {
  const prefix = options.prefix ?? "Token ";
  const { credentials } = options;
  if (credentials.kind === "token") return fixedToken(headerValue(prefix, credentials.token));
  const { apiKey } = credentials;
  return renewedToken(async () => headerValue(prefix, await obtainToken(apiKey, options)));
}

function fixedToken(header: string): Authorisation {
  return {
    header: () => Promise.resolve(header),
    refused: () =>
      Promise.reject(
        new Failure("authentication", "the platform does not accept the token (HTTP 401)", {
          hint: "put a valid token into MIGRATE_TOKEN, then run the same command again",
        }),
      ),
  };
}

/** One request for a token at a time, whoever asks; a refusal is final. */
function renewedToken(obtain: () => Promise<string>): Authorisation {
  let current: Promise<string> | undefined;

  const renew = (): Promise<string> => {
    const obtained = obtain();
    current = obtained;
    obtained.catch((error: unknown) => {
      if (!(error instanceof Failure) && current === obtained) current = undefined;
    });
    return obtained;
  };

  return {
    header: () => current ?? renew(),
    async refused(header) {
      const known = current;
      if (known !== undefined && (await known) !== header) return;
      if (known === current) await renew();
      else await current;
    },
  };
}

async function obtainToken(apiKey: string, { http, baseUrl, mutation = {} }: AuthorisationOptions): Promise<string> {
  const { path = "/v1/graphql/", name = "ObtainServiceToken", inputField = "APIKey" } = mutation;
  const query =
    mutation.document ?? `mutation ${name}($apiKey: String!) { ${name}(input: { ${inputField}: $apiKey }) { token } }`;
  const reply = await http({
    method: "POST",
    url: joinPath(baseUrl, path),
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ query, variables: { apiKey } }),
  }).catch((error: unknown) => {
    throw error instanceof TransportError ? noTokenForNow(error.code, error) : error;
  });
  return tokenIn(reply, mutation.tokenAt ?? [name, "token"]);
}

/** Errors come with status 200; the reply is never quoted whole, it may hold secrets. */
function tokenIn(reply: HttpReply, tokenAt: AttrPath): string {
  if (reply.status >= 500 || reply.status === 408 || reply.status === 429) throw noTokenForNow(`HTTP_${reply.status}`);
  const body = parseBody(reply);
  const token = valueAt(body, ["data", ...tokenAt]);
  if (typeof token === "string" && token !== "") return token;
  const errors = valueAt(body, ["errors"]);
  const first = isJsonArray(errors) ? errors[0] : undefined;
  const code = valueAt(first, ["extensions", "errorCode"]);
  const said = typeof code === "string" ? `, ${cleanText(code, 40)}` : "";
  throw new Failure("authentication", `the platform gave no token for the API key (HTTP ${reply.status}${said})`, {
    hint: "check MIGRATE_API_KEY and the token settings of the target, then run the same command again",
  });
}

/** Seen from the request that wanted the token, nothing has left yet. */
function noTokenForNow(code: string, cause?: unknown): TransportError {
  return new TransportError("unsent", `no token for now: ${code}`, { code, durationMs: 0, cause });
}

function headerValue(prefix: string, token: string): string {
  const value = `${prefix}${token}`;
  if (/^[\x20-\x7e]+$/.test(value)) return value;
  throw new Failure("authentication", "the token holds characters that no header can carry", {
    hint: "check MIGRATE_TOKEN: one line, ASCII only",
  });
}
