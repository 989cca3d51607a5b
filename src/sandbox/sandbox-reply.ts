import { isNestedBeyond, type JsonObject, type JsonValue } from "../json/json-value.ts";
import { parseJson } from "../json/parse-json.ts";

/** A request as the platform's handlers read it. */
export interface PlatformRequest {
  readonly query: URLSearchParams;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly authorization: string | undefined;
  readonly contentType: string;
  /** Empty when there is none. */
  readonly body: Uint8Array;
  /** `https://127.0.0.1:PORT`, no slash at the end. */
  readonly origin: string;
  /** The path as requested, with its query. */
  readonly target: string;
  readonly sender: Sender;
}

/** What a browser says about the page that sends a request: the headers `Host`, `Origin` and `Sec-Fetch-Site`. */
interface Sender {
  readonly host: string;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
}

/** What a token was asked for with, and how that ended. */
export interface LoginAttempt {
  /** `APIKey`, `organizationSecretKey` or `refreshToken`. */
  readonly with: string;
  /** The code of the refusal; absent: a token was given. */
  readonly refusal?: string;
}

export interface Reply {
  readonly status: number;
  readonly body: JsonValue;
  readonly headers?: Readonly<Record<string, string>>;
  /** The business key the request was about, for the history. */
  readonly key?: string;
  /** The login that the request was, for the history. */
  readonly login?: LoginAttempt;
}

export type Handler = (request: PlatformRequest) => Reply | Promise<Reply>;

/** One address of the platform. */
export interface Route {
  readonly method: "GET" | "POST";
  /** From the instance's root, parameters in braces: `/v1/accounts/{number}/`. */
  readonly path: string;
  readonly handler: Handler;
  /** `data-import`: faults happen here, and the request is counted. */
  readonly kind: "data-import" | "read" | "admin";
  /** It creates accounts of what was staged: the platform may accept only so many at a time. */
  readonly isProcessing?: boolean;
}

/** One thing wrong with a payload, as the platform reports it (API specification 7.3). */
export interface PayloadError {
  readonly attr: string;
  readonly code: string;
  readonly detail: string;
}

/** A refusal without errors: `{detail, code}`, the shape of everything but validation. */
export function refusal(status: number, code: string, detail: string): Reply {
  return { status, body: { detail, code } };
}

/** HTTP 400 of API specification 7.1-7.3. */
export function invalidPayload(code: string, detail: string, errors: readonly PayloadError[]): Reply {
  return { status: 400, body: { detail, code, errors: errors.map(payloadErrorBody) } };
}

function payloadErrorBody({ detail, code, attr }: PayloadError): JsonObject {
  return { detail, code, attr };
}

/** Levels of nesting in a request body. Python's own JSON reader gives up at about 1,000. */
const MAX_NESTING = 200;

/** Values in a request body. The judge has a finding for each that is wrong, and thousands of times a real body is enough. */
const MAX_VALUES = 100_000;

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The request body as JSON. Undefined: not UTF-8, not JSON, nested more deeply than `MAX_NESTING`, or of more than `MAX_VALUES`. */
export function jsonBody({ body }: Pick<PlatformRequest, "body">): JsonValue | undefined {
  const text = decodedText(body);
  const value = text === undefined ? undefined : parseJson(text);
  if (value === undefined || isNestedBeyond(value, MAX_NESTING) || hasMoreValues(value, MAX_VALUES)) return undefined;
  return value;
}

function hasMoreValues(value: JsonValue, most: number): boolean {
  let count = 0;
  const exceeds = (one: JsonValue): boolean => {
    count += 1;
    return count > most || (typeof one === "object" && one !== null && Object.values(one).some(exceeds));
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

export function tooLarge(maxBytes: number): Reply {
  return refusal(413, "request_too_large", `The request body is larger than ${maxBytes} bytes.`);
}

export const NOT_FOUND: Reply = refusal(404, "not_found", "Not found.");

export function methodNotAllowed(method: string): Reply {
  return refusal(405, "method_not_allowed", `Method "${method}" not allowed.`);
}
