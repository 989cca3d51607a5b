import { isNestedBeyond, type JsonValue } from "../json/json-value.ts";
import { parseJson } from "../json/parse-json.ts";

/** A request, as handlers of the platform receive it. */
export interface PlatformRequest {
  readonly query: URLSearchParams;
  /** The decoded path parameters. */
  readonly params: Readonly<Record<string, string>>;
  readonly authorization: string | undefined;
  readonly contentType: string;
  /** Empty if the request has no body. */
  readonly body: Uint8Array;
  /** `https://127.0.0.1:PORT`, without a trailing slash. */
  readonly origin: string;
  /** The requested path, including its query. */
  readonly target: string;
  readonly sender: Sender;
}

/** The headers by which a browser identifies the page that sends a request: `Host`, `Origin` and `Sec-Fetch-Site`. */
interface Sender {
  readonly host: string;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
}

/** The kind of credential in a token request, and the result. */
export interface LoginAttempt {
  /** The names of the input fields, separated by commas. A valid request has only one, such as `APIKey`. */
  readonly with: string;
  /** The code of the refusal; absent if a token was issued. */
  readonly refusal?: string;
}

export interface Reply {
  readonly status: number;
  readonly body: JsonValue;
  readonly headers?: Readonly<Record<string, string>>;
  /** The business key in the request, for the history. */
  readonly key?: string;
  /** The login attempt to show in the history, if the request was a login. */
  readonly login?: LoginAttempt;
}

export type Handler = (request: PlatformRequest) => Reply | Promise<Reply>;

export interface Route {
  readonly method: "GET" | "POST";
  /** Path from the root of the instance, with parameters in braces, such as `/v1/accounts/{number}/`. */
  readonly path: string;
  readonly handler: Handler;
  /** `data-import` requests are counted, and faults apply to them. */
  readonly kind: "data-import" | "read" | "admin";
  /** Whether the request creates accounts from staged payloads and is therefore limited by `maxProcessing`. */
  readonly isProcessing?: boolean;
  /** Returns the import supplier that a request names; empty if it names none. */
  readonly supplierOf?: (request: PlatformRequest) => string;
}

export interface PayloadFinding {
  readonly attr: string;
  readonly code: string;
}

/** One error in a payload, in the platform's form (API specification 7.3). */
export interface PayloadError extends PayloadFinding {
  readonly detail: string;
}

/** Returns a refusal in the form `{detail, code}`. */
export function refusal(status: number, code: string, detail: string): Reply {
  return { status, body: { detail, code } };
}

/** Returns HTTP 400 as described in API specification 7.1-7.3. */
export function invalidPayload(code: string, detail: string, errors: readonly PayloadError[]): Reply {
  return {
    status: 400,
    body: {
      detail,
      code,
      errors: errors.map(({ detail: text, code: reason, attr }) => ({ detail: text, code: reason, attr })),
    },
  };
}

/** Maximum nesting of a request body. Python's JSON parser fails at about 1,000 levels. */
const MAX_NESTING = 200;

/** Maximum number of values in a body, far above the number in a real body. Limits the number of findings. */
const MAX_VALUES = 100_000;

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Returns the request body as JSON; undefined if it is not UTF-8, not JSON, or exceeds `MAX_NESTING` or `MAX_VALUES`.
 */
export function jsonBody({ body }: PlatformRequest): JsonValue | undefined {
  const text = decodedText(body);
  const value = text === undefined ? undefined : parseJson(text);
  if (value === undefined || isNestedBeyond(value, MAX_NESTING) || hasMoreValues(value, MAX_VALUES)) return undefined;
  return value;
}

function hasMoreValues(value: JsonValue, limit: number): boolean {
  let count = 0;
  const exceeds = (one: JsonValue): boolean => {
    count += 1;
    return count > limit || (typeof one === "object" && one !== null && Object.values(one).some(exceeds));
  };
  return exceeds(value);
}

function decodedText(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}

export const PARSE_ERROR: Reply = refusal(400, "parse_error", "JSON parse error.");

export const SERVER_ERROR: Reply = { status: 500, body: { error: "Server Error (500)" } };

export const NOT_FOUND: Reply = refusal(404, "not_found", "Not found.");
