import type { Authorisation } from "../../../src/platform/auth/authorisation.ts";
import { type AuthorisationOptions, createAuthorisation } from "../../../src/platform/auth/create-authorisation.ts";
import { type Http, type HttpReply, type HttpRequest, TransportError } from "../../../src/transport/http.ts";
import { jsonReply } from "../json-reply.ts";

/** The platform's clock at the start of every test, seconds since 1970. */
const START = Date.UTC(2026, 9, 25) / 1000;

export const API_KEY = "sk_canary_7Yq2";

/** An hour in seconds. */
export const HOUR = 3600;

/** A login as received by the platform. */
interface SeenLogin {
  readonly query: string;
  readonly variables: Readonly<Record<string, string>>;
}

export interface TokenPlatform {
  readonly http: Http;
  readonly logins: readonly SeenLogin[];
  /** Sets the replies to the next logins. Later logins get tokens. */
  readonly answerNext: (...replies: readonly (HttpReply | Error)[]) => void;
  readonly clock: { readonly now: () => number; readonly monotonic: () => number };
  /** Advances the platform's clock and the local clock. */
  readonly pass: (seconds: number) => void;
  readonly authorisation: (more?: Partial<AuthorisationOptions>) => Authorisation;
}

export interface TokenPlatformOptions {
  /** Returns additional members for the nth token, counted from 1; `now` in seconds by the platform's clock. */
  readonly otherFields?: (number: number, now: number) => object;
  /** Returns the token itself; default `token-<n>`. */
  readonly token?: (number: number, now: number) => string;
  /** Whether replies have a `Date` header with the time of the platform's clock. */
  readonly date?: boolean;
  /** How far the local clock is ahead of the platform's clock, in seconds. */
  readonly skew?: number;
}

/** Tokens that are valid for an hour, each with a refresh token that is valid for a week. */
export const withRefresh: TokenPlatformOptions = {
  otherFields: (number, now) => ({
    payload: { exp: now + HOUR },
    refreshToken: `refresh-${number}`,
    refreshExpiresIn: now + 7 * 86_400,
  }),
};

/** Creates a platform that issues token-1, token-2, ... The local clock is ahead of the platform's clock by `skew`. */
export function tokenPlatform(options: TokenPlatformOptions = {}): TokenPlatform {
  const { otherFields = () => ({}), token = (number: number) => `token-${number}`, date = true, skew = 0 } = options;
  const logins: SeenLogin[] = [];
  const planned: (HttpReply | Error)[] = [];
  let passed = 0;
  let given = 0;
  const now = (): number => START + passed;
  const headers = (): Record<string, string> => (date ? { date: new Date(now() * 1000).toUTCString() } : {});

  const http: Http = async (request: HttpRequest) => {
    await new Promise(setImmediate);
    logins.push(JSON.parse(String(request.body)));
    const next = planned.shift();
    if (next instanceof Error) throw next;
    if (next !== undefined) return next;
    given += 1;
    const reply = { token: token(given, now()), ...otherFields(given, now()) };
    return jsonReply(200, { data: { ObtainServiceToken: reply } }, headers());
  };
  const clock = { now: () => (now() + skew) * 1000, monotonic: () => passed * 1000 };
  return {
    http,
    logins,
    clock,
    answerNext: (...replies) => void planned.push(...replies),
    pass: (seconds) => {
      passed += seconds;
    },
    authorisation: (more = {}) =>
      createAuthorisation({
        http,
        baseUrl: new URL("https://localhost/v1/"),
        credentials: { kind: "api-key", apiKey: API_KEY },
        clock,
        ...more,
      }),
  };
}

/** Returns a GraphQL refusal: HTTP 200, and a message that quotes the secret. */
export function refusal(errorCode: string): HttpReply {
  const errors = [{ message: `${API_KEY} and refresh-1 are wrong`, extensions: { errorCode } }];
  return jsonReply(200, { data: { ObtainServiceToken: null }, errors });
}

export function lost(code: string): TransportError {
  return new TransportError("sent", "lost", { code, durationMs: 1 });
}

/** Returns a JSON Web Token with an invalid signature. */
export function webToken(claims: object): string {
  return `${encoded({ alg: "none" })}.${encoded(claims)}.c2lnbmVk`;
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}
